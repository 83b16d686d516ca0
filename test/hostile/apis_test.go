package hostile

// otherAPIs are the behaviours of servers with other protocols than chat.
var otherAPIs = []behaviour{}
