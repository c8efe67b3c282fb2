import { linkedProgram, openWebGl } from '@insight-host/kit/draw';
import { HALF_HEIGHT, type Matrix, type Point } from './camera';
import { VALUES, type Mesh } from './mesh';
import type { Color } from './ramps';

/** A surface with colours from its lowest to its highest loss. */
export interface Surface {
  readonly mesh: Mesh;
  readonly colors: readonly Color[];
  readonly opacity: number;
}
/** A line through the scene. */
export interface Ribbon {
  readonly points: readonly Point[];
  readonly color: Color;
  /** CSS pixels. */
  readonly width: number;
}
export interface Scene {
  readonly surfaces: readonly Surface[];
  readonly ribbons: readonly Ribbon[];
  readonly levels: number;
}

const SURFACE_VERTEX = `#version 300 es
uniform mat4 view;
in vec3 position;
in vec3 normal;
out float share;
out vec3 upright;
void main() {
  gl_Position = view * vec4(position, 1.0);
  share = position.z / ${(2 * HALF_HEIGHT).toFixed(3)} + 0.5;
  upright = normal;
}`;
const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D ramp;
uniform float levels;
uniform float opacity;
in float share;
in vec3 upright;
out vec4 color;
void main() {
  vec3 base = texture(ramp, vec2(clamp(share, 0.002, 0.998), 0.5)).rgb;
  float light = 0.62 + 0.45 * max(0.0, dot(normalize(upright), normalize(vec3(-0.45, 0.35, 0.82))));
  float level = share * (levels + 1.0);
  float line = abs(fract(level - 0.5) - 0.5) / max(fwidth(level), 1e-5);
  float ink = 0.38 * (1.0 - smoothstep(0.4, 1.2, line)) * step(fwidth(level), 0.7);
  color = vec4(mix(base * light, vec3(0.0), ink) * opacity, opacity);
}`;
const RIBBON_VERTEX = `#version 300 es
uniform mat4 view;
uniform vec2 size;
uniform float width;
in vec3 here;
in vec3 there;
in vec2 corner;
void main() {
  vec4 a = view * vec4(here, 1.0);
  vec4 b = view * vec4(there, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  vec2 across = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(0.0, 1.0);
  vec4 at = corner.x < 0.5 ? a : b;
  at.xy += (across * corner.y + (corner.x - 0.5) * vec2(across.y, -across.x)) * width / size * at.w;
  at.z -= 0.004 * at.w;
  gl_Position = at;
}`;
const RIBBON_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 tint;
out vec4 color;
void main() { color = vec4(tint, 1.0); }`;

const CORNERS = new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]);
const TEXELS = 256;
const MESHES = 48; // that are held by the graphics card

interface Uploaded {
  readonly array: WebGLVertexArrayObject;
  readonly buffers: readonly WebGLBuffer[];
}

/** Draws surfaces on a canvas of its own, for others to copy: browsers give a page few WebGL contexts. */
export class Renderer {
  private readonly surface: WebGLProgram;
  private readonly ribbon: WebGLProgram;
  private readonly ramp: WebGLTexture;
  private readonly meshes = new Map<Mesh, Uploaded>();
  private readonly strip: Uploaded;

  private constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
    /** A processor draws, not a graphics card. */
    readonly isSoftware: boolean,
  ) {
    this.surface = linkedProgram(gl, SURFACE_VERTEX, SURFACE_FRAGMENT);
    this.ribbon = linkedProgram(gl, RIBBON_VERTEX, RIBBON_FRAGMENT);
    this.ramp = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.strip = { array: gl.createVertexArray(), buffers: [gl.createBuffer(), gl.createBuffer()] };
  }

  /** null where the browser has no WebGL 2. */
  static create(): Renderer | null {
    const opened = openWebGl();
    return opened && new Renderer(opened.canvas, opened.gl, opened.isSoftware);
  }

  get isLost(): boolean {
    return this.gl.isContextLost();
  }

  /**
   * Draws the scene, `width` by `height` CSS pixels, `ratio` pixels for each; the canvas is valid until the next call.
   */
  draw(scene: Scene, view: Matrix, width: number, height: number, ratio: number): HTMLCanvasElement {
    const { gl, canvas } = this;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.surface);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.surface, 'view'), false, view);
    gl.uniform1f(gl.getUniformLocation(this.surface, 'levels'), scene.levels);
    const [opaque, clear] = [
      scene.surfaces.filter(({ opacity }) => opacity >= 1),
      scene.surfaces.filter(({ opacity }) => opacity < 1),
    ];
    gl.disable(gl.BLEND);
    for (const surface of opaque) this.drawSurface(surface);
    gl.enable(gl.BLEND);
    for (const surface of clear) {
      // What is nearest of each shows; they shine through each other, and nothing is seen through those that are
      // opaque.
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.colorMask(false, false, false, false);
      for (const other of [...opaque, surface]) this.drawSurface(other);
      gl.colorMask(true, true, true, true);
      this.drawSurface(surface);
    }
    gl.disable(gl.BLEND);
    this.drawRibbons(scene.ribbons, view, width, height);
    gl.bindVertexArray(null);
    return canvas;
  }

  dispose(): void {
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  private drawSurface({ mesh, colors, opacity }: Surface): void {
    const { gl } = this;
    gl.bindVertexArray(this.uploaded(mesh).array);
    this.useColors(colors);
    gl.uniform1f(gl.getUniformLocation(this.surface, 'opacity'), opacity);
    gl.drawElements(gl.TRIANGLES, mesh.indices.length, gl.UNSIGNED_INT, 0);
  }

  private drawRibbons(ribbons: readonly Ribbon[], view: Matrix, width: number, height: number): void {
    const { gl } = this;
    if (ribbons.length === 0) return;
    gl.useProgram(this.ribbon);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.ribbon, 'view'), false, view);
    gl.uniform2f(gl.getUniformLocation(this.ribbon, 'size'), width, height);
    gl.bindVertexArray(this.strip.array);
    const [ends, corners] = this.strip.buffers as readonly [WebGLBuffer, WebGLBuffer];
    attribute(gl, this.ribbon, 'corner', corners, 2, 0, 0, 0);
    gl.bufferData(gl.ARRAY_BUFFER, CORNERS, gl.STATIC_DRAW);
    for (const { points, color, width: thickness } of ribbons) {
      if (points.length < 2) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, ends);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
      attribute(gl, this.ribbon, 'here', ends, 3, 12, 0, 1);
      attribute(gl, this.ribbon, 'there', ends, 3, 12, 12, 1);
      gl.uniform1f(gl.getUniformLocation(this.ribbon, 'width'), thickness);
      gl.uniform3f(gl.getUniformLocation(this.ribbon, 'tint'), color[0] / 255, color[1] / 255, color[2] / 255);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, points.length - 1);
    }
  }

  private uploaded(mesh: Mesh): Uploaded {
    const { gl } = this;
    const known = this.meshes.get(mesh);
    if (known) {
      this.meshes.delete(mesh); // to the end: those drawn last are forgotten last
      this.meshes.set(mesh, known);
      return known;
    }
    const [oldest] = this.meshes;
    if (oldest && this.meshes.size >= MESHES) this.forget(...oldest);
    const array = gl.createVertexArray();
    const buffers = [gl.createBuffer(), gl.createBuffer()] as const;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[0]);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.vertices, gl.STATIC_DRAW);
    attribute(gl, this.surface, 'position', buffers[0], 3, VALUES * 4, 0, 0);
    attribute(gl, this.surface, 'normal', buffers[0], 3, VALUES * 4, 12, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, gl.STATIC_DRAW);
    const made = { array, buffers };
    this.meshes.set(mesh, made);
    return made;
  }

  private forget(mesh: Mesh, { array, buffers }: Uploaded): void {
    this.gl.deleteVertexArray(array);
    for (const buffer of buffers) this.gl.deleteBuffer(buffer);
    this.meshes.delete(mesh);
  }

  private useColors(colors: readonly Color[]): void {
    const { gl } = this;
    const texels = new Uint8Array(TEXELS * 4);
    for (let i = 0; i < TEXELS; i++) {
      const color = colors[Math.round((i / (TEXELS - 1)) * (colors.length - 1))] as Color;
      texels.set([...color.map(Math.round), 255], i * 4);
    }
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, TEXELS, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }
}

function attribute(
  gl: WebGL2RenderingContext,
  of: WebGLProgram,
  name: string,
  buffer: WebGLBuffer,
  count: number,
  stride: number,
  offset: number,
  divisor: number,
): void {
  const place = gl.getAttribLocation(of, name);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, count, gl.FLOAT, false, stride, offset);
  gl.vertexAttribDivisor(place, divisor);
}
