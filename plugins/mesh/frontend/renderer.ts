import { hexOf, rgbOf } from '@insight-host/kit';
import { begin, filled, Held, lose, openWebGl, Program, type Point, type WebGl } from '@insight-host/kit/scene';
import type { Sight } from './camera';
import { edgesOf, localPositions, normalsOf, spreadOrder } from './geometry';
import { FRAGMENT, RAMP, VERTEX } from './shaders';
import type { Ball, Shape } from './shape';

export type Draw = 'smooth' | 'flat' | 'wires' | 'points';
type Axis = 'x' | 'y' | 'z';
/** Paints in one CSS colour, in the colours of the points, or by a coordinate in a range. */
export type Paint =
  | { readonly kind: 'one'; readonly color: string }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'axis'; readonly axis: Axis; readonly low: number; readonly high: number };

export interface Scene {
  readonly shape: Shape;
  /** The ball that is drawn around the origin with radius 1. */
  readonly frame: Ball;
  readonly draw: Draw;
  readonly paint: Paint;
  /** CSS pixels of a point. */
  readonly size: number;
  /** CSS colour behind everything. */
  readonly paper: string;
}

interface Uploaded {
  frame: Ball;
  positions: Float32Array;
  corners: WebGLBuffer;
  readonly colors: WebGLBuffer | null;
  bytes: number;
  normals: WebGLBuffer | null;
  faces?: WebGLBuffer;
  edges?: readonly [WebGLBuffer, number];
  order?: WebGLBuffer;
}

const BYTES_OF_NORMAL = 4;
const MOST_BYTES = 384 << 20; // that the graphics card holds
const LIGHTS: Readonly<Record<Draw, number>> = { smooth: 1, flat: 2, wires: 0, points: 0 };
const AXES: readonly Axis[] = ['x', 'y', 'z'];
const ATTRIBUTES = ['position', 'normal', 'color'] as const;

/** Draws shapes on a canvas of its own, for cards to copy: browsers give a page few WebGL contexts. */
export class Renderer {
  private readonly gl: WebGL2RenderingContext;
  private readonly program: Program;
  private readonly held = new Held<Shape, Uploaded>(
    MOST_BYTES,
    ({ bytes }) => bytes,
    ({ corners, colors, normals, faces, edges, order }) => {
      for (const buffer of [corners, colors, normals, faces, edges?.[0], order])
        if (buffer) this.gl.deleteBuffer(buffer);
    },
  );
  readonly pace: Pace;

  private constructor(private readonly opened: WebGl) {
    this.gl = opened.gl;
    this.pace = new Pace(opened.isSoftware ? 'software' : 'card');
    this.program = new Program(opened.gl, VERTEX, FRAGMENT);
  }

  /** null where the browser has no WebGL 2. */
  static create(): Renderer | null {
    const opened = openWebGl();
    return opened && new Renderer(opened);
  }

  get isLost(): boolean {
    return this.gl.isContextLost();
  }

  dispose(): void {
    lose(this.gl);
  }

  /**
   * Draws the scene into `columns` by `rows` pixels, `ratio` for each CSS pixel; the canvas is valid until the next
   * call. `quick`: a part of the points may do, for the camera moves.
   */
  draw(scene: Scene, sight: Sight, columns: number, rows: number, ratio: number, quick: boolean): HTMLCanvasElement {
    const { canvas } = this.opened;
    begin(this.opened, columns, rows);
    const { shape } = scene;
    if (shape.points === 0) return canvas;
    const most = Math.round(quick ? this.pace.moving : this.pace.atRest);
    const draw = shape.faces === null || (quick && shape.triangles > most) ? 'points' : scene.draw;
    const held = this.hold(scene);
    this.program.use(sight.matrix);
    this.say(scene, sight, held, ratio, draw);
    if (draw === 'points') this.drawPoints(held, shape, most);
    else if (draw === 'wires') this.drawWires(held, shape);
    else this.drawFaces(held, shape, draw === 'smooth');
    this.held.trim();
    return canvas;
  }

  private drawPoints(held: Uploaded, { points }: Shape, most: number): void {
    const { gl } = this;
    if (points <= most) return gl.drawArrays(gl.POINTS, 0, points);
    held.order ??= this.buffer(held, gl.ELEMENT_ARRAY_BUFFER, spreadOrder(points));
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, held.order);
    gl.drawElements(gl.POINTS, most, gl.UNSIGNED_INT, 0);
  }

  private drawFaces(held: Uploaded, { faces }: Shape, smooth: boolean): void {
    const { gl } = this;
    if (!faces) return;
    if (smooth) {
      held.normals ??= this.buffer(held, gl.ARRAY_BUFFER, normalsOf(held.positions, faces));
      this.program.attribute('normal', held.normals, 3, { type: gl.BYTE, stride: BYTES_OF_NORMAL });
    }
    held.faces ??= this.buffer(held, gl.ELEMENT_ARRAY_BUFFER, faces);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, held.faces);
    gl.drawElements(gl.TRIANGLES, faces.length, gl.UNSIGNED_INT, 0);
  }

  /** Sides of triangles; what lies behind a triangle is hidden. */
  private drawWires(held: Uploaded, shape: Shape): void {
    const { gl } = this;
    if (!shape.faces) return;
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.colorMask(false, false, false, false);
    this.drawFaces(held, shape, false);
    gl.colorMask(true, true, true, true);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (!held.edges) {
      const edges = edgesOf(shape.faces, shape.points);
      held.edges = [this.buffer(held, gl.ELEMENT_ARRAY_BUFFER, edges), edges.length];
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, held.edges[0]);
    gl.drawElements(gl.LINES, held.edges[1], gl.UNSIGNED_INT, 0);
  }

  private say(scene: Scene, sight: Sight, held: Uploaded, ratio: number, draw: Draw): void {
    const { gl } = this;
    const { paint, frame, shape } = scene;
    const at = (name: string): WebGLUniformLocation | null => this.program.place(name);
    const color = (css: string): Point => rgbOf(css).map((part) => part / 255) as unknown as Point;
    gl.uniform1f(at('size'), scene.size * ratio);
    gl.uniform1f(at('distance'), sight.isParallel ? 0 : sight.distance);
    gl.uniform1i(at('light'), LIGHTS[draw]);
    gl.uniform1i(at('round'), draw === 'points' ? 1 : 0);
    gl.uniform3fv(at('eye'), sight.eye);
    gl.uniform3fv(at('back'), sight.back);
    gl.uniform3fv(at('lamp'), lampOf(sight));
    gl.uniform1i(at('parallel'), sight.isParallel ? 1 : 0);
    gl.uniform3fv(at('paper'), color(scene.paper));
    gl.uniform2fv(at('haze'), hazeOf(sight));
    gl.uniform1i(
      at('paint'),
      paint.kind === 'one' || (paint.kind === 'recorded' && !held.colors) ? 0 : paint.kind === 'recorded' ? 1 : 2,
    );
    gl.uniform3fv(at('tint'), color(paint.kind === 'one' ? paint.color : hexOf([160, 160, 160])));
    if (paint.kind === 'axis') {
      const axis = AXES.indexOf(paint.axis);
      const local = (value: number): number => (value - (frame.middle[axis] as number)) / frame.radius;
      const [low, high] = [local(paint.low), local(paint.high)];
      gl.uniform3fv(
        at('axis'),
        AXES.map((_, i) => (i === axis ? 1 : 0)),
      );
      gl.uniform2f(at('range'), low, high > low ? high : low + 1);
      gl.uniform3fv(at('ramp'), RAMP.flatMap(color));
    }
    for (const name of ATTRIBUTES) {
      const place = gl.getAttribLocation(this.program.made, name);
      if (place >= 0) gl.disableVertexAttribArray(place);
    }
    this.program.attribute('position', held.corners, 3, { stride: 12 });
    if (held.colors && shape.colors)
      this.program.attribute('color', held.colors, 3, { type: gl.UNSIGNED_BYTE, stride: 4 });
  }

  /** Corners relative to the frame of the scene, which float32 keeps the precision of, whatever is far from it. */
  private hold({ shape, frame }: Scene): Uploaded {
    const { gl } = this;
    const held = this.held.of(shape, () => {
      const count = { bytes: 0 };
      const positions = localPositions(shape, frame);
      const corners = this.buffer(count, gl.ARRAY_BUFFER, positions);
      const colors = shape.colors && this.buffer(count, gl.ARRAY_BUFFER, padded(shape.colors));
      return { frame, positions, corners, colors, normals: null, bytes: count.bytes };
    });
    if (!isSame(held.frame, frame)) this.place(held, shape, frame);
    return held;
  }

  /** Uploads the corners of a known shape for another frame: those of the last one lack digits in a smaller one. */
  private place(held: Uploaded, shape: Shape, frame: Ball): void {
    const { gl } = this;
    gl.deleteBuffer(held.corners);
    gl.deleteBuffer(held.normals);
    held.bytes -= held.positions.byteLength + (held.normals ? BYTES_OF_NORMAL * shape.points : 0);
    held.frame = frame;
    held.positions = localPositions(shape, frame);
    held.corners = this.buffer(held, gl.ARRAY_BUFFER, held.positions);
    held.normals = null;
  }

  private buffer(held: { bytes: number }, target: number, data: ArrayBufferView<ArrayBufferLike>): WebGLBuffer {
    held.bytes += data.byteLength;
    return filled(this.gl, target, data);
  }
}

const isSame = (a: Ball, b: Ball): boolean =>
  a.radius === b.radius && a.middle.every((part, axis) => part === b.middle[axis]);

/** Rows of four bytes: graphics cards read these faster. */
function padded(colors: Uint8Array): Uint8Array {
  const found = new Uint8Array((colors.length / 3) * 4);
  for (let from = 0, to = 0; from < colors.length; from += 3, to += 4) found.set(colors.subarray(from, from + 3), to);
  return found;
}

/** Over the left shoulder of the viewer. */
function lampOf({ right, up, back }: Sight): Point {
  const [a, b, c] = [-0.42, 0.55, 0.72];
  return [0, 1, 2].map(
    (axis) => a * (right[axis] as number) + b * (up[axis] as number) + c * (back[axis] as number),
  ) as unknown as Point;
}

/** The share of the depth at which points begin to fade, and by how much: far ones are paler. */
function hazeOf({ matrix, eye, back, distance, isParallel }: Sight): readonly [number, number] {
  const share = (along: number): number => {
    const at = [0, 1, 2].map((axis) => (eye[axis] as number) - (back[axis] as number) * along);
    const row = (r: number): number =>
      at.reduce((total, part, axis) => total + part * (matrix[4 * axis + r] as number), matrix[12 + r] as number);
    return (row(2) / row(3)) * 0.5 + 0.5;
  };
  const near = share(Math.max(distance - 1, distance * 0.02, isParallel ? distance - 1 : 0));
  const far = share(distance + 1);
  return [near, Math.min(1e4, 0.4 / Math.max(1e-6, far - near))];
}

/** Points or triangles of a picture; a processor that stands in for a graphics card draws fewer. */
const LIMITS = {
  card: { rest: Infinity, quick: 2_000_000 },
  software: { rest: 300_000, quick: 40_000 },
} as const;
const FEWEST = 4_000;
const SLOW = 30; // ms of a picture while the camera moves
const BACK = 1.5; // times more at the next move

/** How much of a shape is drawn, by how long pictures take. */
export class Pace {
  private quick: number;

  constructor(private readonly kind: keyof typeof LIMITS) {
    this.quick = LIMITS[kind].quick;
  }

  /** Points of a picture that stays; triangles are all drawn. */
  get atRest(): number {
    return LIMITS[this.kind].rest;
  }

  /** Points or triangles of a picture while the camera moves. */
  get moving(): number {
    return this.quick;
  }

  /** A picture of `drawn` points or triangles took so many ms. Only less is drawn until the camera rests. */
  moved(drawn: number, ms: number): void {
    if (ms > SLOW) this.quick = Math.max(FEWEST, Math.min(this.quick, drawn) * Math.max(0.25, SLOW / ms));
  }

  rested(): void {
    this.quick = Math.min(LIMITS[this.kind].quick, this.quick * BACK);
  }
}
