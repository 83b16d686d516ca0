// Package clients tests the simulated engine with the clients that applications
// use: the openai packages for Python and Node. install.sh installs them.
package clients
