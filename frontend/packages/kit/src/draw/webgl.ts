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
  probe?.getExtension('WEBGL_lose_context')?.loseContext();
  const gl = canvas.getContext('webgl2', { antialias: !isSoftware, alpha: true, premultipliedAlpha: true });
  return gl && { canvas, gl, isSoftware };
}

/** Whether a processor draws, not a graphics card. */
export function drawsInSoftware(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info !== null && /swiftshader|llvmpipe|software/i.test(String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)));
}

/** Throws an Error with the log of the compiler if the shaders do not link. */
export function linkedProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram();
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
  return made;
}
