/** The numbers of a system call; null where the architecture has none. */
export interface DeniedCall {
  name: string;
  x86_64: number;
  aarch64: number | null;
}

/** Calls under one reason. `absent` ones fail with ENOSYS, so that programs fall back on others; the rest with EPERM. */
export interface DeniedGroup {
  reason: string;
  absent?: true;
  calls: readonly DeniedCall[];
}

const call = (name: string, x86_64: number, aarch64: number | null): DeniedCall => ({
  name,
  x86_64,
  aarch64,
});

/** The system calls that no command needs, by the damage that they could do. */
export const deniedGroups: readonly DeniedGroup[] = [
  {
    reason: "most of the kernel's recent holes are there, and its requests pass no filter",
    absent: true,
    calls: [
      call("io_uring_setup", 425, 425),
      call("io_uring_enter", 426, 426),
      call("io_uring_register", 427, 427),
    ],
  },
  {
    reason: "takes its flags in memory, where a filter cannot look; libraries fall back on clone",
    absent: true,
    calls: [call("clone3", 435, 435)],
  },
  {
    reason: "memory without a name, which no limit of a process counts",
    absent: true,
    calls: [
      call("memfd_create", 319, 279),
      call("memfd_secret", 447, 447),
      call("shmget", 29, 194),
      call("msgget", 68, 186),
      call("semget", 64, 190),
    ],
  },
  {
    reason: "namespaces and mounts: the way to more rights in the kernel",
    calls: [
      call("unshare", 272, 97),
      call("setns", 308, 268),
      call("mount", 165, 40),
      call("umount2", 166, 39),
      call("pivot_root", 155, 41),
      call("chroot", 161, 51),
      call("move_mount", 429, 429),
      call("open_tree", 428, 428),
      call("fsopen", 430, 430),
      call("fsconfig", 431, 431),
      call("fsmount", 432, 432),
      call("fspick", 433, 433),
      call("mount_setattr", 442, 442),
    ],
  },
  {
    reason: "looks into other processes, or takes what they have open",
    calls: [
      call("ptrace", 101, 117),
      call("process_vm_readv", 310, 270),
      call("process_vm_writev", 311, 271),
      call("kcmp", 312, 272),
      call("pidfd_getfd", 438, 438),
    ],
  },
  {
    reason: "programs in the kernel, its counters, and page faults that stop it in the middle of a copy",
    calls: [
      call("bpf", 321, 280),
      call("perf_event_open", 298, 241),
      call("userfaultfd", 323, 282),
      call("vmsplice", 278, 75),
    ],
  },
  {
    reason: "keyrings belong to a user, not to a namespace",
    calls: [call("add_key", 248, 217), call("request_key", 249, 218), call("keyctl", 250, 219)],
  },
  {
    reason: "files by number instead of by path, which ignores what is mounted",
    calls: [call("name_to_handle_at", 303, 264), call("open_by_handle_at", 304, 265)],
  },
  {
    reason: "for the administrator of the machine",
    calls: [
      call("acct", 163, 89),
      call("adjtimex", 159, 171),
      call("clock_adjtime", 305, 266),
      call("clock_settime", 227, 112),
      call("delete_module", 176, 106),
      call("fanotify_init", 300, 262),
      call("finit_module", 313, 273),
      call("init_module", 175, 105),
      call("kexec_file_load", 320, 294),
      call("kexec_load", 246, 104),
      call("lookup_dcookie", 212, 18),
      call("nfsservctl", 180, 42),
      call("quotactl", 179, 60),
      call("quotactl_fd", 443, 443),
      call("reboot", 169, 142),
      call("sethostname", 170, 161),
      call("setdomainname", 171, 162),
      call("settimeofday", 164, 170),
      call("swapoff", 168, 225),
      call("swapon", 167, 224),
      call("syslog", 103, 116),
      call("vhangup", 153, 58),
    ],
  },
  {
    reason: "changes how memory is laid out or placed; a frequent part of exploits",
    calls: [
      call("mbind", 237, 235),
      call("migrate_pages", 256, 238),
      call("move_pages", 279, 239),
      call("personality", 135, 92),
      call("set_mempolicy", 238, 237),
      call("set_mempolicy_home_node", 450, 450),
      call("ioperm", 173, null),
      call("iopl", 172, null),
      call("modify_ldt", 154, null),
      call("uselib", 134, null),
    ],
  },
];
