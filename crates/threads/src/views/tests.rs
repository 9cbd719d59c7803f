//! Small programs, looked at by views.
