//! What a server's tool is called here: `server__tool`, in the letters and within the length that every provider takes.

use std::collections::BTreeSet;

/// The longest name of a tool.
const LENGTH: usize = 64;

/// A name that is not among those `taken`. It is the same in every run as long as the server and its tool keep theirs.
pub(super) fn name(server: &str, tool: &str, taken: &BTreeSet<String>) -> String {
    let plain = fine(&format!("{server}__{tool}"));
    if plain.len() <= LENGTH && !taken.contains(&plain) {
        return plain;
    }
    (0_u32..)
        .map(|turn| marked(&plain, server, tool, turn))
        .find(|name| !taken.contains(name))
        .unwrap_or(plain)
}

/// How the names of a server's tools begin.
#[must_use]
pub fn server_prefix(server: &str) -> String {
    fine(&format!("{server}__"))
}

fn fine(name: &str) -> String {
    name.chars().map(|c| if is_fine(c) { c } else { '_' }).collect()
}

fn is_fine(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The beginning of a name with a mark of the whole.
fn marked(plain: &str, server: &str, tool: &str, turn: u32) -> String {
    let mark = format!("_{:08x}", fingerprint(server, tool).wrapping_add(turn));
    let start: String = plain.chars().take(LENGTH - mark.len()).collect();
    start + &mark
}

/// FNV-1a: short, and the same in every build.
fn fingerprint(server: &str, tool: &str) -> u32 {
    let bytes = server.bytes().chain([0]).chain(tool.bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_fit_every_provider() {
        let check = |server: &str, tool: &str, expected: &str| {
            assert_eq!(name(server, tool, &BTreeSet::new()), expected);
        };
        check("notes", "search", "notes__search");
        check("my notes", "a/b.c", "my_notes__a_b_c");
        check("ü", "日本", "_____");
        let long = name("server", &"t".repeat(80), &BTreeSet::new());
        assert!(long.len() == 64 && long.starts_with("server__ttt"), "{long}");
        assert_ne!(long, name("server", &"t".repeat(81), &BTreeSet::new()));
        let taken = BTreeSet::from(["a__b_c".to_owned()]);
        assert!(name("a", "b.c", &taken).starts_with("a__b_c_"));
    }

    proptest! {
        #[test]
        fn any_names_give_different_ones(tools in proptest::collection::vec(("[a-b ._]{1,3}", ".{0,70}"), 1..20)) {
            let mut taken = BTreeSet::new();
            for (server, tool) in tools {
                let name = name(&server, &tool, &taken);
                prop_assert!(name.len() <= LENGTH && name.chars().all(is_fine));
                prop_assert!(taken.insert(name));
            }
        }
    }
}
