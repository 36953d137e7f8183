//! Where a model of Gemini's is called: its name is part of the path.

/// The path below the base. A name that says of which kind of model it is stands as it is, as in the vendor's libraries.
pub(crate) fn path(model: &str) -> String {
    let is_whole = model.starts_with("models/") || model.starts_with("tunedModels/");
    let kind = if is_whole { "" } else { "models/" };
    // People type names; none of them may lead to another path of the host.
    let segments = model.split('/').filter(|segment| !matches!(*segment, "" | "." | ".."));
    let segments: Vec<String> = segments.map(escaped).collect();
    format!("/{kind}{}:streamGenerateContent?alt=sse", segments.join("/"))
}

fn escaped(segment: &str) -> String {
    let escape = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    segment.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let check = |model, expected: &str| {
            assert_eq!(path(model), format!("/{expected}:streamGenerateContent?alt=sse"), "{model}");
        };
        check("gemini-2.5-flash", "models/gemini-2.5-flash");
        check("models/gemini-3.1-pro-preview", "models/gemini-3.1-pro-preview");
        check("tunedModels/mine-1", "tunedModels/mine-1");
        check("vendor/gemini@1", "models/vendor/gemini@1");
        check("a?key=b#c%d:e f", "models/a%3Fkey%3Db%23c%25d%3Ae%20f");
        check("../../upload/./x", "models/upload/x");
        check("modèle", "models/mod%C3%A8le");
    }
}
