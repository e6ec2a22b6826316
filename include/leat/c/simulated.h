/* Simulated disks: a model of time and cost over the real bytes of another device. The clock of a
 * simulated device starts at 0 and advances only with calls. So the same calls give the same times
 * on every machine. There is no page cache: bytes that are read twice are requested twice. Times
 * are in nanoseconds. */
#ifndef LEAT_C_SIMULATED_H
#define LEAT_C_SIMULATED_H

#include <leat/c/base.h>
#include <leat/c/device.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this header is C */

#ifdef __cplusplus
extern "C" {
#endif

/** The built-in models. */
enum leat_simulated_disk {
  LEAT_DISK_HDD,  /**< A hard disk of 7200 rpm. */
  LEAT_DISK_SSD,  /**< An SSD on SATA. */
  LEAT_DISK_NVME, /**< An SSD on PCIe. */
  LEAT_DISK_NFS,  /**< A network file system, over Ethernet of 1 Gbit/s. */
  LEAT_DISK_S3    /**< An object store: times within its region, the price of a transfer out to the
                     internet. */
};

/** The cost of reads, or of writes. A request occupies one channel until its last byte has arrived.
 */
typedef struct leat_simulated_service {
  uint64_t latency;            /**< Until the first byte. */
  uint64_t interval;           /**< Between the starts of two requests, all channels together. */
  uint64_t rate;               /**< Bytes a second, all requests together; 0: no limit. */
  uint64_t stream_rate;        /**< Bytes a second of one request; 0: no limit. */
  double dollars_per_request;  /**< US dollars. */
  double dollars_per_gigabyte; /**< US dollars, of 10^9 bytes. */
} leat_simulated_service;

/** The mechanics of a hard disk, whose bytes lie on one spiral from the outer edge inwards. */
typedef struct leat_simulated_platter {
  uint64_t capacity;     /**< Bytes; 0: there is no platter. */
  uint64_t rotation;     /**< One revolution. */
  uint64_t track_switch; /**< The shortest seek, to the next track. */
  uint64_t average_seek; /**< Between random tracks. */
  uint64_t full_stroke;  /**< The longest seek, across all tracks. */
  uint64_t outer_rate;   /**< Bytes a second of a long read at the outer edge … */
  uint64_t inner_rate;   /**< … and at the inner edge. */
  uint64_t read_ahead;   /**< Bytes that the drive reads ahead by itself while it is idle. */
  unsigned queue; /**< Among this many queued requests, the drive starts the request that the head
                     reaches first; 0: one request. */
} leat_simulated_platter;

/** The parameters of a simulated device. A time longer than an hour counts as an hour. */
typedef struct leat_simulated_model {
  leat_simulated_service read;
  leat_simulated_service write;
  unsigned channels; /**< Requests served at the same time; 0: one request. A platter serves one
                        request. */
  uint64_t submit;   /**< Time of the program to submit one request. */
  uint64_t sync;     /**< Time of one sync. */
  leat_simulated_platter platter; /**< Adds the times of seeks, rotation and transfer. */
} leat_simulated_model;

/** Counts of the requests to a simulated disk so far. */
typedef struct leat_simulated_statistics {
  uint64_t reads;
  uint64_t bytes_read;
  uint64_t writes;
  uint64_t bytes_written;
} leat_simulated_statistics;

/** Returns the parameters of a built-in model. */
LEAT_API leat_simulated_model leat_model_of(enum leat_simulated_disk disk);
/** Makes a simulated device over another device, which the new device keeps alive. The model gives
 * the time of each operation. Returns null and sets errno on failure. */
LEAT_API leat_device* leat_device_simulate(leat_device* below, const leat_simulated_model* model);
/** Advances the clock by time that the program uses for other work. EINVAL for devices that are not
 * simulated. */
LEAT_API int leat_device_spend(leat_device* device, uint64_t nanoseconds);
/** Returns the counts so far; zeros and EINVAL for devices that are not simulated. */
LEAT_API leat_simulated_statistics leat_device_statistics(const leat_device* device);

/** Returns the time, in nanoseconds, by which programs measure a device: the time of the simulated
 * clock for a simulated device, else of the system's clock. */
LEAT_API uint64_t leat_device_now(const leat_device* device);
/** Returns US dollars for the requests and bytes so far; 0: free. */
LEAT_API double leat_device_cost(const leat_device* device);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
