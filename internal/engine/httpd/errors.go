package httpd

import (
	"fmt"
	"net/http"
)

// apiError is a refusal as vLLM words it.
type apiError struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

func (e *apiError) Error() string { return e.Message }

const (
	typeBadRequest = "BadRequestError"
	typeInvalid    = "Bad Request" // the request did not even parse
	typeNotFound   = "NotFoundError"
	typeInternal   = "InternalServerError"
	typeBusy       = "Service Unavailable"
)

func refuse(status int, kind, param, format string, args ...any) *apiError {
	e := &apiError{status: status, Message: fmt.Sprintf(format, args...), Type: kind, Code: status}
	if param != "" {
		e.Param = &param
	}
	return e
}

func badRequest(param, format string, args ...any) *apiError {
	return refuse(http.StatusBadRequest, typeBadRequest, param, format, args...)
}

// badValue is badRequest for one parameter, whose name and value vLLM appends.
func badValue(param string, value any, format string, args ...any) *apiError {
	return badRequest(param, "%s (parameter=%s, value=%v)", fmt.Sprintf(format, args...), param, value)
}

// invalid is a body that pydantic refuses.
func invalid(param, format string, args ...any) *apiError {
	return refuse(http.StatusBadRequest, typeInvalid, param, "1 validation error:\n  "+format, args...)
}

var (
	errBusy = refuse(http.StatusServiceUnavailable, typeBusy, "",
		"The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.")
	errShutDown = refuse(http.StatusInternalServerError, typeInternal, "",
		"cannot schedule new futures after shutdown")
	errEngineDead = refuse(http.StatusInternalServerError, typeInternal, "",
		"EngineCore encountered an issue. See stack trace (above) for the root cause.")
)

func writeError(w http.ResponseWriter, e *apiError) {
	writeJSON(w, e.status, struct {
		Error *apiError `json:"error"`
	}{e})
}

func writeDetail(w http.ResponseWriter, status int) {
	writeJSON(w, status, struct {
		Detail string `json:"detail"`
	}{http.StatusText(status)})
}
