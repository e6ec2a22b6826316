// The worker of the site's search, for pages that were opened as files. Browsers start no worker for such pages, so a
// hidden frame runs the worker's script. mkdocs.yml adds this file to each page.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      // The frame is added to the body, which does not exist while the browser reads the head.
      this.ready = new Promise((start) => {
        const begin = () => {
          document.body.appendChild(this.frame);
          const inside = this.frame.contentWindow;
          const page = this.frame.contentDocument;
          inside.toPage = (data) => this.answer(data);
          inside.started = start;
          page.open();
          page.write(
            "<script>postMessage = (data) => toPage(data);" +
              "importScripts = (...names) => Promise.all(names.map((name) => new Promise((done, failed) => {" +
              "const tag = document.createElement('script');" +
              "tag.src = name; tag.onload = done; tag.onerror = failed;" +
              "document.body.appendChild(tag); })));</script><body>" +
              `<script src="${script}" onload="started()"></script></body>`,
          );
          page.close();
        };
        if (document.body) begin();
        else addEventListener("DOMContentLoaded", begin);
      });
    }
    answer(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      this.ready.then(() =>
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
