import type { Rgb } from '@insight-host/kit';
import { begin, drawsInSoftware, lose, Program, type Matrix } from '@insight-host/kit/scene';
import { DISTANCE } from './camera';
import { FOG, RING, type Atlas, type Look } from './look';

const POSITION = 0;
const COLOR = 1;
const VERTEX = `#version 300 es
uniform mat4 view;
uniform float size;
uniform float room;
uniform vec2 fog;
uniform vec4 tint;
uniform vec3 background;
layout(location = ${POSITION}) in vec3 position;
layout(location = ${COLOR}) in vec4 color;
out vec3 shade;
out float strength;
flat out int number;
void main() {
  strength = color.a;
  number = gl_VertexID;
  if (color.a == 0.0) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 1.0;
    return;
  }
  gl_Position = view * vec4(position, 1.0);
  float near = fog.y > 0.0 ? ${DISTANCE.toFixed(2)} / max(gl_Position.w, 0.2) : 1.0;
  gl_PointSize = clamp(size * near, 1.0, 96.0) + room;
  float away = fog.y > 0.0 ? clamp((gl_Position.w - fog.x) / fog.y, 0.0, 1.0) : 0.0;
  shade = mix(mix(color.rgb, tint.rgb, tint.a), background, away * ${FOG.most} * (1.0 - tint.a));
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform bool isRound;
in vec3 shade;
flat in int number;
out vec4 color;
void main() {
  if (isRound) {
    vec2 place = gl_PointCoord * 2.0 - 1.0;
    if (dot(place, place) > 1.0) discard;
  }
  color = vec4(shade, 1.0);
}`;
const PICTURE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D atlas;
uniform vec2 cell;
uniform int columns;
uniform vec3 background;
in vec3 shade;
in float strength;
flat in int number;
out vec4 color;
void main() {
  vec2 place = abs(gl_PointCoord * 2.0 - 1.0);
  vec2 corner = vec2(number % columns, number / columns);
  vec4 found = texture(atlas, (corner + 0.02 + gl_PointCoord * 0.96) * cell);
  if (max(place.x, place.y) > 0.86) found = vec4(shade, 1.0);
  if (found.a < 0.5) discard;
  color = vec4(mix(background, mix(found.rgb, shade, 0.12), strength), 1.0);
}`;

const ROUND_FROM = 3.5; // pixels: smaller circles look like squares anyway

/** Draws points with WebGL 2. */
export class Renderer {
  private readonly plain: Program;
  private readonly pictures: Program;
  private readonly array: WebGLVertexArrayObject;
  private readonly positions: WebGLBuffer;
  private readonly colors: WebGLBuffer;
  private readonly indices: WebGLBuffer;
  private readonly texture: WebGLTexture;
  private atlas: HTMLImageElement | null = null;
  private count = 0;
  private front = 0;

  private constructor(
    readonly canvas: HTMLCanvasElement,
    readonly gl: WebGL2RenderingContext,
    /** A processor draws, not a graphics card. */
    readonly isSoftware: boolean,
  ) {
    this.plain = new Program(gl, VERTEX, FRAGMENT);
    this.pictures = new Program(gl, VERTEX, PICTURE_FRAGMENT);
    this.array = gl.createVertexArray();
    this.positions = gl.createBuffer();
    this.colors = gl.createBuffer();
    this.indices = gl.createBuffer();
    this.texture = gl.createTexture();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.positions);
    gl.enableVertexAttribArray(POSITION);
    gl.vertexAttribPointer(POSITION, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    gl.enableVertexAttribArray(COLOR);
    gl.vertexAttribPointer(COLOR, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
  }

  /** null where the browser has no WebGL 2. */
  static on(canvas: HTMLCanvasElement): Renderer | null {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false });
    if (!gl) return null;
    return new Renderer(canvas, gl, drawsInSoftware(gl));
  }

  get isLost(): boolean {
    return this.gl.isContextLost();
  }

  /** x, y and z of one point after the other. */
  setPositions(values: Float32Array): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.positions);
    if (values.length === this.count * 3) gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
    else gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    this.count = values.length / 3;
  }

  /** Red, green, blue of one point after the other, each with how much of its picture shows: 0 hides the point. */
  setColors(values: Uint8Array): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
  }

  /** Points that are drawn larger, with a ring, over all others. */
  setFront(points: Uint32Array): void {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    this.front = points.length;
  }

  /** Draws what was set; the canvas keeps it until the browser shows the next frame. */
  draw(view: Matrix, look: Look): void {
    const { gl, canvas } = this;
    begin(this, canvas.width, canvas.height, unit(look.background));
    if (this.count === 0) return;
    gl.bindVertexArray(this.array);
    const program = look.atlas && this.bindAtlas(look.atlas) ? this.pictures : this.plain;
    this.use(program, view, look);
    if (look.flat) gl.disable(gl.DEPTH_TEST);
    gl.drawArrays(gl.POINTS, 0, this.count);
    if (this.front === 0) return;
    gl.disable(gl.DEPTH_TEST);
    gl.uniform1f(program.place('size'), program === this.pictures ? look.size : look.frontSize);
    if (program === this.plain) {
      gl.uniform1i(program.place('isRound'), 1);
      gl.uniform1f(program.place('room'), RING);
      gl.uniform4f(program.place('tint'), ...unit(look.ring), 1);
      gl.drawElements(gl.POINTS, this.front, gl.UNSIGNED_INT, 0);
      gl.uniform1f(program.place('room'), 0);
      gl.uniform4f(program.place('tint'), 0, 0, 0, 0);
    }
    gl.drawElements(gl.POINTS, this.front, gl.UNSIGNED_INT, 0);
  }

  dispose(): void {
    lose(this.gl);
  }

  private use(program: Program, view: Matrix, look: Look): void {
    const { gl } = this;
    program.use(view);
    gl.uniform1f(program.place('size'), look.size);
    gl.uniform1f(program.place('room'), 0);
    gl.uniform4f(program.place('tint'), 0, 0, 0, 0);
    gl.uniform3f(program.place('background'), ...unit(look.background));
    gl.uniform2f(program.place('fog'), FOG.from, look.flat ? 0 : FOG.length);
    if (program === this.plain) gl.uniform1i(program.place('isRound'), look.size >= ROUND_FROM ? 1 : 0);
    if (program === this.pictures && look.atlas) {
      const { image, width, height } = look.atlas;
      gl.uniform2f(program.place('cell'), width / image.naturalWidth, height / image.naturalHeight);
      gl.uniform1i(program.place('columns'), Math.max(1, Math.floor(image.naturalWidth / width)));
    }
  }

  /** Whether the card takes a picture of this size. */
  private bindAtlas({ image }: Atlas): boolean {
    const { gl } = this;
    if (Math.max(image.naturalWidth, image.naturalHeight) > (gl.getParameter(gl.MAX_TEXTURE_SIZE) as number))
      return false;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    if (this.atlas === image) return true;
    this.atlas = image;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return true;
  }
}

const unit = ([r, g, b]: Rgb): [number, number, number] => [r / 255, g / 255, b / 255];
