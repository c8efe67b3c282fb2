/** Colours of a coordinate, from its lowest to its highest value: viridis of matplotlib. */
export const RAMP = [
  '#440154',
  '#472c7a',
  '#3b518b',
  '#2c718e',
  '#21908d',
  '#27ad81',
  '#5cc863',
  '#aadc32',
  '#fde725',
] as const;

const LAST = RAMP.length - 1;

/** `paint` is 0 for one colour, 1 for a colour of each point, 2 for the coordinate along `axis`. */
export const VERTEX = `#version 300 es
uniform mat4 view;
uniform float size;
uniform float distance;
uniform int paint;
uniform vec3 tint;
uniform vec3 axis;
uniform vec2 range;
uniform vec3 ramp[${RAMP.length}];
in vec3 position;
in vec3 normal;
in vec3 color;
out vec3 base;
out vec3 place;
out vec3 upright;
out float depth;
void main() {
  place = position;
  gl_Position = view * vec4(place, 1.0);
  float w = max(gl_Position.w, 1e-6);
  gl_PointSize = max(1.0, size * (distance > 0.0 ? clamp(distance / w, 0.3, 4.0) : 1.0));
  depth = gl_Position.z / w;
  upright = normal;
  base = tint;
  if (paint == 1) base = color;
  if (paint == 2) {
    float at = clamp((dot(position, axis) - range.x) / (range.y - range.x), 0.0, 1.0) * ${LAST.toFixed(1)};
    int low = min(int(at), ${LAST - 1});
    base = mix(ramp[low], ramp[low + 1], at - float(low));
  }
}`;

/** `light` is 0 for points and lines, 1 for triangles with normals, 2 for triangles without. */
export const FRAGMENT = `#version 300 es
precision highp float;
uniform int light;
uniform bool round;
uniform vec3 eye;
uniform vec3 back;
uniform vec3 lamp;
uniform bool parallel;
uniform vec3 paper;
uniform vec2 haze;
in vec3 base;
in vec3 place;
in vec3 upright;
in float depth;
out vec4 color;
void main() {
  vec3 shown = base;
  if (round) {
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    float far = dot(at, at);
    if (far > 1.0) discard;
    shown *= 1.0 - 0.35 * far;
  }
  if (light > 0) {
    vec3 viewer = parallel ? back : normalize(eye - place);
    vec3 flat_ = cross(dFdx(place), dFdy(place));
    flat_ = length(flat_) > 0.0 ? normalize(flat_) : viewer;
    if (dot(flat_, viewer) < 0.0) flat_ = -flat_;
    vec3 n = flat_;
    if (light == 1 && length(upright) > 0.1) {
      n = normalize(upright);
      if (dot(n, flat_) < 0.0) n = -n;
    }
    shown *= 0.38 + 0.5 * max(0.0, dot(n, lamp)) + 0.2 * max(0.0, dot(n, viewer));
  } else {
    shown = mix(shown, paper, haze.y * clamp(depth * 0.5 + 0.5 - haze.x, 0.0, 1.0));
  }
  color = vec4(shown, 1.0);
}`;
