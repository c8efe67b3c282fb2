import type { Matrix } from './camera';

/** A WebGL 2 context on a canvas of its own, for drawings that others copy: browsers give a page few contexts. */
export interface WebGl {
  readonly canvas: HTMLCanvasElement;
  readonly gl: WebGL2RenderingContext;
  /** A processor draws, not a graphics card. */
  readonly isSoftware: boolean;
}

/** null where the browser has no WebGL 2. */
export function openWebGl(): WebGl | null {
  const canvas = document.createElement('canvas');
  // Edges are smoothed by the graphics card; a processor that stands in for one is five times faster without.
  const probe = document.createElement('canvas').getContext('webgl2');
  const isSoftware = probe !== null && drawsInSoftware(probe);
  if (probe) lose(probe);
  const gl = canvas.getContext('webgl2', { antialias: !isSoftware, alpha: true, premultipliedAlpha: true });
  return gl && { canvas, gl, isSoftware };
}

/** Whether a processor draws, not a graphics card. */
export function drawsInSoftware(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info !== null && /swiftshader|llvmpipe|software/i.test(String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)));
}

/** A program of two shaders, whose uniforms and attributes are looked up once. */
export class Program {
  readonly made: WebGLProgram;
  private readonly uniforms = new Map<string, WebGLUniformLocation | null>();

  /** Throws an Error with the log of the compiler if the shaders do not link. */
  constructor(
    private readonly gl: WebGL2RenderingContext,
    vertex: string,
    fragment: string,
  ) {
    const made = (this.made = gl.createProgram());
    for (const [type, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(type) as WebGLShader;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(made) ?? 'the shaders do not link');
  }

  /** Uses it from now on, with this view of the scene as the uniform `view`. */
  use(view: Matrix): void {
    this.gl.useProgram(this.made);
    this.gl.uniformMatrix4fv(this.place('view'), false, new Float32Array(view));
  }

  /** Of a uniform. */
  place(name: string): WebGLUniformLocation | null {
    let found = this.uniforms.get(name);
    if (found === undefined) this.uniforms.set(name, (found = this.gl.getUniformLocation(this.made, name)));
    return found;
  }

  /** Reads an attribute of the vertex shader from a buffer; not at all where the shader has none of the name. */
  attribute(
    name: string,
    buffer: WebGLBuffer,
    count: number,
    { type = this.gl.FLOAT, stride = 0, offset = 0, divisor = 0 }: AttributeLayout = {},
  ): void {
    const { gl } = this;
    const place = gl.getAttribLocation(this.made, name);
    if (place < 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, count, type, type !== gl.FLOAT, stride, offset);
    gl.vertexAttribDivisor(place, divisor);
  }
}

/** In bytes; integers are shares of the largest of their type. With `divisor` they go by instance. */
interface AttributeLayout {
  readonly type?: number;
  readonly stride?: number;
  readonly offset?: number;
  readonly divisor?: number;
}

/** An empty picture of so many pixels, transparent unless it has a background (red, green and blue from 0 to 1). */
export function begin(
  { gl, canvas }: Pick<WebGl, 'gl' | 'canvas'>,
  columns: number,
  rows: number,
  background?: readonly [number, number, number],
): void {
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
  gl.viewport(0, 0, columns, rows);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  const [red, green, blue] = background ?? [0, 0, 0];
  gl.clearColor(red, green, blue, background ? 1 : 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
}

export function filled(
  gl: WebGL2RenderingContext,
  target: number,
  data: ArrayBufferView<ArrayBufferLike>,
): WebGLBuffer {
  const made = gl.createBuffer();
  gl.bindBuffer(target, made);
  gl.bufferData(target, data as ArrayBufferView<ArrayBuffer>, gl.STATIC_DRAW);
  return made;
}

/** What the graphics card holds of things that are drawn: those drawn last, up to a limit. */
export class Held<Thing extends object, Made> {
  private readonly made = new Map<Thing, Made>();

  /** `sizeOf` in the unit of `most`; what one drawing makes may grow after it was made. */
  constructor(
    private readonly most: number,
    private readonly sizeOf: (made: Made) => number,
    private readonly free: (made: Made) => void,
  ) {}

  of(thing: Thing, make: () => Made): Made {
    const known = this.made.get(thing) ?? make();
    this.made.delete(thing); // to the end: those drawn last are forgotten last
    this.made.set(thing, known);
    return known;
  }

  /** Forgets the oldest beyond the limit, but never the latest. */
  trim(): void {
    let size = 0;
    for (const made of this.made.values()) size += this.sizeOf(made);
    for (const [thing, made] of [...this.made].slice(0, -1)) {
      if (size <= this.most) return;
      size -= this.sizeOf(made);
      this.free(made);
      this.made.delete(thing);
    }
  }
}

/** Gives the context back: browsers give a page few of them. */
export function lose(gl: WebGL2RenderingContext): void {
  gl.getExtension('WEBGL_lose_context')?.loseContext();
}
