//! A loopback listener whose connections can be reset in mid-request, which no HTTP answer can express. Both fakes serve
//! through it.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A router being served until this is dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    open: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Serving {
    /// Serves on `address`; port 0 lets the system pick one.
    pub async fn start(router: Router, address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let open = Arc::new(AtomicUsize::new(0));
        let listener = Cuttable { listener, open: Arc::clone(&open) };
        let service = router.into_make_service_with_connect_info::<Cut>();
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, service).await {
                tracing::error!(%error, "a fake stopped serving");
            }
        });
        Ok(Self { address, open, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Base URL without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes the listener; connections that are open are left to end.
    pub fn stop(&self) {
        self.task.abort();
    }

    /// Connections open now, idle ones included.
    pub fn connections(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Resets the connection that a request came in on: handlers get it as `ConnectInfo<Cut>`.
#[derive(Clone, Debug, Default)]
pub struct Cut(Arc<AtomicBool>);

impl Cut {
    /// From now on every write fails and the peer sees a reset instead of an answer.
    pub fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_reset(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Connected<IncomingStream<'_, Cuttable>> for Cut {
    fn connect_info(stream: IncomingStream<'_, Cuttable>) -> Self {
        stream.io().cut.clone()
    }
}

struct Cuttable {
    listener: TcpListener,
    open: Arc<AtomicUsize>,
}

impl Listener for Cuttable {
    type Io = Socket;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Socket, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    stream.set_nodelay(true).ok();
                    self.open.fetch_add(1, Ordering::Relaxed);
                    return (Socket { stream, cut: Cut::default(), open: Arc::clone(&self.open) }, peer);
                }
                // Out of descriptors or a peer that left in the backlog: neither is a reason to stop listening.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

struct Socket {
    stream: TcpStream,
    cut: Cut,
    open: Arc<AtomicUsize>,
}

impl Socket {
    fn alive(&self) -> io::Result<()> {
        if !self.cut.is_reset() {
            return Ok(());
        }
        // Turns the close that follows into a reset. Whole answers are not hurt: it is set only when the cut is made.
        self.stream.set_zero_linger()?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.alive()?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.alive()?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.alive()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.alive()?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.alive()?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
