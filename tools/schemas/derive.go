package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// builtIn keeps of the published OpenAPI file the kinds and what they are made of.
func builtIn(text []byte) ([]byte, error) {
	var in struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	out := struct {
		Kinds   map[string]string         `json:"kinds"` // apiVersion/kind → schema
		Schemas map[string]map[string]any `json:"schemas"`
	}{map[string]string{}, map[string]map[string]any{}}
	for name, s := range in.Definitions {
		for _, k := range kindsOf(s) {
			out.Kinds[k] = name
		}
		delete(s, "x-kubernetes-group-version-kind")
		out.Schemas[name] = bare(s)
	}
	if len(out.Kinds) == 0 {
		return nil, fmt.Errorf("it names no kinds")
	}
	for _, name := range out.Kinds {
		hide(out.Schemas[name], "status")
	}
	return json.Marshal(out)
}

// kindsOf are the kinds that a definition stands for, as apiVersion/kind. What many
// groups share, such as the options of a request, is no object.
func kindsOf(s map[string]any) []string {
	list, _ := s["x-kubernetes-group-version-kind"].([]any)
	if len(list) != 1 {
		return nil
	}
	k, _ := list[0].(map[string]any)
	api := fmt.Sprint(k["group"], "/", k["version"], "/", k["kind"])
	return []string{strings.TrimPrefix(api, "/")}
}

// custom keeps of a CustomResourceDefinition its versions and their schemas.
func custom(text []byte) (name string, small []byte, err error) {
	var in struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Scope    string
			Versions []struct {
				Name   string
				Served bool
				Schema struct {
					OpenAPIV3Schema map[string]any
				}
				Subresources struct {
					Scale struct{ SpecReplicasPath string }
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &in); err != nil {
		return "", nil, err
	}
	type version struct {
		Name     string         `json:"name"`
		Served   bool           `json:"served"`
		Replicas string         `json:"replicas,omitempty"` // the path of their number, such as .spec.replicas
		Schema   map[string]any `json:"schema,omitempty"`
	}
	out := struct {
		Group    string    `json:"group"`
		Kind     string    `json:"kind"`
		Versions []version `json:"versions"`
	}{Group: in.Spec.Group, Kind: in.Spec.Names.Kind}
	if out.Group == "" || out.Kind == "" || len(in.Spec.Versions) == 0 {
		return "", nil, fmt.Errorf("it defines no kind")
	}
	for _, v := range in.Spec.Versions {
		kept := version{Name: v.Name, Served: v.Served}
		if v.Served {
			kept.Schema = bare(v.Schema.OpenAPIV3Schema)
			hide(kept.Schema, "status")
			kept.Replicas = v.Subresources.Scale.SpecReplicasPath
		}
		out.Versions = append(out.Versions, kept)
	}
	small, err = json.Marshal(out)
	return out.Group + "_" + out.Kind + ".json.gz", small, err
}

// said are keys of a schema that are for people.
var said = []string{"description", "title", "example", "externalDocs"}

// bare is a schema without what is said for people, at any depth.
func bare(s map[string]any) map[string]any {
	for _, key := range said {
		delete(s, key)
	}
	for key, v := range s {
		switch key {
		case "properties":
			for _, p := range asMap(v) {
				bare(asMap(p))
			}
		case "items", "additionalProperties", "not":
			bare(asMap(v))
		case "allOf", "anyOf", "oneOf":
			list, _ := v.([]any)
			for _, p := range list {
				bare(asMap(p))
			}
		}
	}
	return s
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// hide opens a property of the root: a status is the server's to write, and what a
// manifest says there is left out.
func hide(s map[string]any, property string) {
	if p := asMap(s["properties"]); p[property] != nil {
		p[property] = map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	}
}
