//! Kinds of errors for which a vendor names the status that belongs to them.

/// The status of an error inside a stream, which tells its kind alone. Anthropic's list, after
/// <https://platform.claude.com/docs/en/api/errors>, read in November 2026.
pub(super) fn status_of(kind: &str) -> Option<u16> {
    let status = match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    };
    Some(status)
}
