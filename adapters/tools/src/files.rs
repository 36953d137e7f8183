//! Files of the workspace: `read`, `write` and `edit`. Nothing here opens a path but through [`Workspace`].

mod edit;
mod path;
mod read;
pub(crate) mod shelf;
#[cfg(test)]
mod tests;
mod workspace;
mod write;

pub(crate) use edit::Edit;
pub(crate) use path::Inside;
pub(crate) use read::Read;
pub(crate) use shelf::Shelf;
pub(crate) use workspace::{Found, Workspace};
pub(crate) use write::Write;

use crate::trouble::Trouble;

/// Does what waits for a disk where that holds nobody up.
pub(crate) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(cut) => Err(Trouble::system("The call was cut off", std::io::Error::other(cut))),
    }
}
