//! A stretch of wire between the daemon and a fake that can be cut: then nobody listens at its address, and every connection
//! through it breaks. The same address comes back when it is mended.

use std::{io, net::SocketAddr};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// The wire; gone when dropped.
#[derive(Debug)]
pub struct Wire {
    near: SocketAddr,
    far: SocketAddr,
    serving: Option<JoinHandle<()>>,
}

impl Wire {
    /// A whole wire to the server at `url`.
    pub async fn to(url: &str) -> io::Result<Self> {
        let far = url.trim_start_matches("http://").parse().map_err(io::Error::other)?;
        let mut wire = Self { near: SocketAddr::from(([127, 0, 0, 1], 0)), far, serving: None };
        wire.mend().await?;
        Ok(wire)
    }

    /// The address of its near end.
    pub fn url(&self) -> String {
        format!("http://{}", self.near)
    }

    /// Cuts it; returns when nothing is left of it.
    pub async fn cut(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            // It ends by being aborted.
            drop(serving.await);
        }
    }

    /// Makes it whole again.
    pub async fn mend(&mut self) -> io::Result<()> {
        self.cut().await;
        let listener = TcpListener::bind(self.near).await?;
        self.near = listener.local_addr()?;
        self.serving = Some(tokio::spawn(carry(listener, self.far)));
        Ok(())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn carry(listener: TcpListener, far: SocketAddr) {
    let mut connections = JoinSet::new();
    while let Ok((mut near, _)) = listener.accept().await {
        connections.spawn(async move {
            if let Ok(mut far) = TcpStream::connect(far).await {
                // Either side may leave as it likes.
                drop(copy_bidirectional(&mut near, &mut far).await);
            }
        });
    }
}
