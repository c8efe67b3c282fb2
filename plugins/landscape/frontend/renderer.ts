import {
  begin,
  filled,
  Held,
  lose,
  openWebGl,
  Program,
  type Matrix,
  type Point,
  type WebGl,
} from '@insight-host/kit/scene';
import { HALF_HEIGHT } from './view';
import { VALUES, type Mesh } from './mesh';
import type { Color } from './ramps';

/** A surface with colours from its lowest to its highest loss. */
interface Surface {
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
interface Scene {
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
  private readonly gl: WebGL2RenderingContext;
  private readonly surface: Program;
  private readonly ribbon: Program;
  private readonly ramp: WebGLTexture;
  private readonly meshes = new Held<Mesh, Uploaded>(
    MESHES,
    () => 1,
    (held) => this.forget(held),
  );
  private readonly strip: Uploaded;

  private constructor(private readonly opened: WebGl) {
    const gl = (this.gl = opened.gl);
    this.surface = new Program(gl, SURFACE_VERTEX, SURFACE_FRAGMENT);
    this.ribbon = new Program(gl, RIBBON_VERTEX, RIBBON_FRAGMENT);
    this.ramp = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.strip = {
      array: gl.createVertexArray(),
      buffers: [gl.createBuffer(), filled(gl, gl.ARRAY_BUFFER, CORNERS)],
    };
  }

  /** A processor draws, not a graphics card. */
  get isSoftware(): boolean {
    return this.opened.isSoftware;
  }

  /** null where the browser has no WebGL 2. */
  static create(): Renderer | null {
    const opened = openWebGl();
    return opened && new Renderer(opened);
  }

  get isLost(): boolean {
    return this.gl.isContextLost();
  }

  /**
   * Draws the scene, `width` by `height` CSS pixels, `ratio` pixels for each; the canvas is valid until the next call.
   */
  draw(scene: Scene, view: Matrix, width: number, height: number, ratio: number): HTMLCanvasElement {
    const { gl, surface: program } = this;
    begin(this.opened, Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)));
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    program.use(view);
    gl.uniform1f(program.place('levels'), scene.levels);
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
    this.meshes.trim();
    return this.opened.canvas;
  }

  dispose(): void {
    lose(this.gl);
  }

  private drawSurface({ mesh, colors, opacity }: Surface): void {
    const { gl } = this;
    gl.bindVertexArray(this.meshes.of(mesh, () => this.uploaded(mesh)).array);
    this.useColors(colors);
    gl.uniform1f(this.surface.place('opacity'), opacity);
    gl.drawElements(gl.TRIANGLES, mesh.indices.length, gl.UNSIGNED_INT, 0);
  }

  private drawRibbons(ribbons: readonly Ribbon[], view: Matrix, width: number, height: number): void {
    const { gl, ribbon } = this;
    if (ribbons.length === 0) return;
    ribbon.use(view);
    gl.uniform2f(ribbon.place('size'), width, height);
    gl.bindVertexArray(this.strip.array);
    const [ends, corners] = this.strip.buffers as readonly [WebGLBuffer, WebGLBuffer];
    ribbon.attribute('corner', corners, 2);
    for (const { points, color, width: thickness } of ribbons) {
      if (points.length < 2) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, ends);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
      ribbon.attribute('here', ends, 3, { stride: 12, divisor: 1 });
      ribbon.attribute('there', ends, 3, { stride: 12, offset: 12, divisor: 1 });
      gl.uniform1f(ribbon.place('width'), thickness);
      gl.uniform3f(ribbon.place('tint'), color[0] / 255, color[1] / 255, color[2] / 255);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, points.length - 1);
    }
  }

  private uploaded(mesh: Mesh): Uploaded {
    const { gl, surface } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const vertices = filled(gl, gl.ARRAY_BUFFER, mesh.vertices);
    surface.attribute('position', vertices, 3, { stride: VALUES * 4 });
    surface.attribute('normal', vertices, 3, { stride: VALUES * 4, offset: 12 });
    return { array, buffers: [vertices, filled(gl, gl.ELEMENT_ARRAY_BUFFER, mesh.indices)] };
  }

  private forget({ array, buffers }: Uploaded): void {
    this.gl.deleteVertexArray(array);
    for (const buffer of buffers) this.gl.deleteBuffer(buffer);
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
