#!/usr/bin/env python3
"""Compares the credentials that botocore uses with each case of credential_cases.json.

  build/botocore/bin/python3 tests/remote/credentials_by_botocore.py tests/remote/credential_cases.json

Prints the cases in which botocore differs from the file, and fails if there is one. A case has its own
home folder. `expect` is leat's result. If botocore's result differs, `botocore` has botocore's result, and `why` has
the reason. A result is:

  KEY SECRET TOKEN   the credentials that sign; a missing part is "-"
  role               a service gives the credentials when the first request is signed
  nobody             no credentials were found. No case has the role of a machine
  refused            leat or botocore reports an error
"""
import json
import os
import sys
import tempfile

import botocore.credentials
import botocore.session


def found(case, home):
    session = botocore.session.Session(profile=case.get("profile"))
    try:
        who = session.get_credentials()
        if who is None:
            return "nobody"
        if isinstance(who, botocore.credentials.DeferredRefreshableCredentials):
            return "role"
        frozen = who.get_frozen_credentials()
    except Exception:  # after any error of botocore nothing would be signed
        return "refused"
    return " ".join(part or "-" for part in (frozen.access_key, frozen.secret_key, frozen.token))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    wrong = 0
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    for case in cases:
        with tempfile.TemporaryDirectory() as home:
            os.makedirs(home + "/.aws")
            files = dict(case.get("files", {}))
            for name in ("config", "credentials"):
                if name in case:
                    files[".aws/" + name] = case[name]
            for name, text in files.items():
                with open(os.path.join(home, name), "w", encoding="utf-8", newline="") as file:
                    file.write(text)
            os.environ.clear()
            os.environ.update(kept, HOME=home, AWS_EC2_METADATA_DISABLED="true")
            os.environ.update(case.get("env", {}))
            got = found(case, home)
        expected = case.get("botocore", case["expect"])
        if got != expected:
            wrong += 1
            print(f"{case['name']}: botocore gives {got!r}, but the file expects {expected!r}")
    print(f"botocore {botocore.__version__}: {len(cases)} cases, {wrong} differ")
    return wrong != 0


sys.exit(main())
