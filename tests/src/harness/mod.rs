//! The real program tried from outside: started on a home of its own between the two fakes, killed, measured. The crash
//! harness (`crash`) asks whether anything gets lost or doubled, the load harness (`load`) what it costs.

pub mod crash;
pub mod daemon;
pub mod figures;
pub mod home;
pub mod load;
pub mod program;
pub mod samples;
pub mod world;
