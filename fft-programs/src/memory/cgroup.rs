//! The memory that control groups leave to the process, from their files.
//!
//! Version 2 has one tree of groups, version 1 has one tree for memory, and a system may have both.
//! `/proc/self/cgroup` names the group of the process in each tree. `/proc/self/mountinfo` names the folder
//! of each tree and the group at its root. The default folders are read, too. In a container, the path of the
//! group may not exist, and the root of the mount is the group. So the files of the group and of all groups
//! above it are read, where they exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes that the group of the process and all groups above it leave, in a system with its files
/// below `root`.
pub(super) fn available(root: &Path) -> u64 {
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    let trees = [
        (
            Version { limits: &TWO, cache: "inactive_file" },
            "cgroup2",
            ["sys/fs/cgroup", "sys/fs/cgroup/unified"],
        ),
        (Version { limits: &ONE, cache: "total_inactive_file" }, "cgroup", ["sys/fs/cgroup/memory"; 2]),
    ];
    let of_tree = |(version, kind, usual): (Version, &str, [&str; 2])| {
        let group = group_of(&groups, kind == "cgroup2");
        let mounted = mounts.lines().filter_map(|line| Mount::of(line, kind));
        let usual = usual.map(|place| Mount { place: place.into(), top: "/".into() });
        // A usual folder is mostly one of the mounted folders, too. Each folder is read once.
        let folder = |mount: Mount| (root.join(&mount.place), mount.below(group).to_owned());
        let folders: BTreeSet<_> = mounted.chain(usual).map(folder).collect();
        folders.iter().map(|(mount, below)| version.of_mount(mount, below)).min().unwrap_or(u64::MAX)
    };
    trees.map(of_tree).into_iter().min().unwrap_or(u64::MAX)
}

/// Returns the group of the process in the tree of version 2, or in the tree of version 1 that counts memory.
fn group_of(groups: &str, is_second: bool) -> &Path {
    let group = groups.lines().find_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        let of_memory = controllers.split(',').any(|name| name == "memory");
        (if is_second { number == "0" && controllers.is_empty() } else { of_memory }).then_some(group)
    });
    Path::new(group.unwrap_or("/"))
}

/// Mount point of a tree of groups.
struct Mount {
    /// Folder, relative to the root of the file system.
    place: PathBuf,
    /// Group at the mount point.
    top: PathBuf,
}

impl Mount {
    /// Parses a line of `mountinfo`. `None` unless it is a tree of this kind that may count memory.
    fn of(line: &str, kind: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut about = file_system.split(' ');
        if about.next()? != kind {
            return None;
        }
        let of_memory = about.next_back()?.split(',').any(|option| option == "memory");
        if kind == "cgroup" && !of_memory {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let [top, place] = [fields.next()?, fields.next()?].map(|path| path.replace("\\040", " "));
        Some(Self { place: place.trim_start_matches('/').into(), top: top.into() })
    }

    /// Returns the path of a group below the root of the mount. Empty if the group is the root, or is not
    /// below it.
    fn below<'a>(&self, group: &'a Path) -> &'a Path {
        let none = Path::new("");
        let below = group.strip_prefix(&self.top).unwrap_or(none);
        if below.components().any(|part| part.as_os_str() == "..") { none } else { below }
    }
}

/// Limits from this one on are no limits. The use of such groups is not read.
const NO_LIMIT: u64 = 1 << 62;

/// Two files of a group: a limit, and the current use.
type Limit = [&'static str; 2];

const TWO: [Limit; 1] = [["memory.max", "memory.current"]];

/// The second limit is on memory and swap together.
const ONE: [Limit; 2] = [
    ["memory.limit_in_bytes", "memory.usage_in_bytes"],
    ["memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"],
];

/// Files of a version of control groups.
struct Version {
    limits: &'static [Limit],
    /// Name of the reclaimable page cache in `memory.stat`.
    cache: &'static str,
}

impl Version {
    /// Returns the least bytes that the groups of a mount leave: the group `below` it, the groups above that,
    /// and its root.
    fn of_mount(&self, mount: &Path, below: &Path) -> u64 {
        below.ancestors().map(|group| self.of_group(&mount.join(group))).min().unwrap_or(u64::MAX)
    }

    /// Returns the bytes that one group leaves, or `u64::MAX` if it has no limit.
    fn of_group(&self, folder: &Path) -> u64 {
        let read = |name| fs::read_to_string(folder.join(name)).ok();
        let number = |name| read(name)?.trim().parse::<u64>().ok();
        let cache = || {
            let stat = read("memory.stat")?;
            let line = stat.lines().find_map(|line| line.strip_prefix(self.cache)?.strip_prefix(' '))?;
            line.trim().parse::<u64>().ok()
        };
        let left = |[limit, used]: &Limit| {
            // A limit that is no number is `max`. Version 1 has a large number instead.
            let limit = number(limit).filter(|limit| *limit < NO_LIMIT)?;
            let used = number(used)?.saturating_sub(cache().unwrap_or(0));
            Some(limit.saturating_sub(used))
        };
        self.limits.iter().filter_map(left).min().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes left in a system that has only these files.
    fn left(files: &[(&str, &str)]) -> u64 {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        available(root.path())
    }

    const SECOND: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn a_system_without_limits_leaves_any_number() {
        assert_eq!(left(&[]), u64::MAX);
        let open = [
            ("proc/self/cgroup", "0::/user\n"),
            ("proc/self/mountinfo", SECOND),
            ("sys/fs/cgroup/user/memory.max", "max\n"),
            ("sys/fs/cgroup/user/memory.current", "500\n"),
        ];
        assert_eq!(left(&open), u64::MAX);
    }

    #[test]
    fn cache_that_can_be_reclaimed_is_not_used() {
        let full = [
            ("sys/fs/cgroup/memory.max", "2147483648\n"),
            ("sys/fs/cgroup/memory.current", "2147000000\n"),
            ("sys/fs/cgroup/memory.stat", "anon 10000000\nfile 2100000000\ninactive_file 2000000000\n"),
        ];
        assert_eq!(left(&full), 2_147_483_648 - 147_000_000);
        // Cache may be counted later than the use, and the use may exceed a limit that was lowered.
        let odd = [full[0], ("sys/fs/cgroup/memory.current", "1000\n"), full[2]];
        assert_eq!(left(&odd), 2_147_483_648);
        let past = [("sys/fs/cgroup/memory.max", "10\n"), full[1], ("sys/fs/cgroup/memory.stat", "")];
        assert_eq!(left(&past), 0);
    }

    #[test]
    fn the_least_of_all_groups_above_counts() {
        let nested = |outer: &'static str, inner: &'static str| {
            left(&[
                ("proc/self/cgroup", "0::/outer/inner/own\n"),
                ("proc/self/mountinfo", SECOND),
                ("sys/fs/cgroup/outer/memory.max", outer),
                ("sys/fs/cgroup/outer/memory.current", "60"),
                ("sys/fs/cgroup/outer/inner/memory.max", inner),
                ("sys/fs/cgroup/outer/inner/memory.current", "50"),
                ("sys/fs/cgroup/outer/inner/own/memory.max", "max"),
                ("sys/fs/cgroup/outer/inner/own/memory.current", "40"),
                ("sys/fs/cgroup/outer/other/memory.max", "1"),
                ("sys/fs/cgroup/outer/other/memory.current", "1"),
            ])
        };
        assert_eq!((nested("100", "max"), nested("max", "100"), nested("100", "70")), (40, 50, 20));
    }

    #[test]
    fn a_container_sees_its_group_at_the_root_of_the_mount() {
        let limits = [("sys/fs/cgroup/memory.max", "100"), ("sys/fs/cgroup/memory.current", "30")];
        let own = "31 23 0:28 /docker/some /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        for (group, mounts) in [
            ("0::/docker/some\n", own),
            ("0::/docker/some/below\n", own),
            ("0::/\n", SECOND),
            ("0::/../..\n", SECOND),
            ("0::/docker/some\n", SECOND),
            ("0::/docker/some\n", ""),
        ] {
            let files = [limits[0], limits[1], ("proc/self/cgroup", group), ("proc/self/mountinfo", mounts)];
            assert_eq!(left(&files), 70, "{group}{mounts}");
        }
        // The container's own groups have limits, too.
        let files = [
            limits[0],
            limits[1],
            ("proc/self/cgroup", "0::/docker/some/below\n"),
            ("proc/self/mountinfo", own),
            ("sys/fs/cgroup/below/memory.max", "35"),
            ("sys/fs/cgroup/below/memory.current", "30"),
        ];
        assert_eq!(left(&files), 5);
    }

    #[test]
    fn version_1_limits_memory_and_swap_beside_a_tree_of_version_2() {
        let memory = "sys/fs/cgroup/memory/job 7";
        let names =
            ["limit_in_bytes", "usage_in_bytes", "memsw.limit_in_bytes", "memsw.usage_in_bytes", "stat"];
        let paths = names.map(|name| format!("{memory}/memory.{name}"));
        let hybrid = |limit, swap_too| {
            left(&[
                ("proc/self/cgroup", "12:pids:/x\n4:cpu,memory:/job 7\n1:name=systemd:/y\n0::/z\n"),
                (
                    "proc/self/mountinfo",
                    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                     36 31 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                     41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
                ),
                (&paths[0], limit),
                (&paths[1], "500"),
                (&paths[2], swap_too),
                (&paths[3], "700"),
                (&paths[4], "cache 400\ninactive_file 1\ntotal_inactive_file 300\n"),
                ("sys/fs/cgroup/unified/z/memory.max", "max"),
                ("sys/fs/cgroup/pids/memory.limit_in_bytes", "1"),
            ])
        };
        assert_eq!(hybrid("1000", "9223372036854771712"), 800);
        assert_eq!(hybrid("1000", "1100"), 700);
        assert_eq!(hybrid("9223372036854771712", "9223372036854771712"), u64::MAX);
    }

    #[test]
    fn the_tree_may_be_mounted_anywhere() {
        let files = [
            ("proc/self/cgroup", "0::/job\n"),
            ("proc/self/mountinfo", "31 23 0:28 / /run/my\\040groups rw - cgroup2 cgroup2 rw\n"),
            ("run/my groups/job/memory.max", "100"),
            ("run/my groups/job/memory.current", "1"),
        ];
        assert_eq!(left(&files), 99);
    }
}
