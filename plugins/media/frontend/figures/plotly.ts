/** Draws figures of Plotly with plotly.js, a script of its own that the host serves (no bundler reads its 5 MB). */
import address from 'plotly.js-strict-dist-min/plotly-strict.min.js?url';
import type { Draw, Look } from './look';

type Json = Readonly<Record<string, unknown>>;

interface Plotly {
  newPlot(host: HTMLElement, figure: Json): Promise<unknown>;
  purge(host: HTMLElement): void;
}

let loaded: Promise<Plotly> | null = null;

function library(): Promise<Plotly> {
  loaded ??= new Promise<Plotly>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve((globalThis as unknown as { readonly Plotly: Plotly }).Plotly);
    script.onerror = () => {
      loaded = null; // the next figure tries again
      script.remove();
      reject(new Error('plotly.js could not be loaded from this host'));
    };
    document.head.append(script);
  });
  return loaded;
}

export const draw: Draw = async (host, figure, look) => {
  const plotly = await library();
  const { data, layout, frames } = figure;
  await plotly.newPlot(host, {
    data,
    layout: layoutOf(isJson(layout) ? layout : {}, look),
    ...(Array.isArray(frames) ? { frames } : {}),
    config: { displaylogo: false, showTips: false, plotGlPixelRatio: globalThis.devicePixelRatio || 1 },
  });
  return () => plotly.purge(host);
};

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const part = (of: Json, name: string): Json => {
  const value = of[name];
  return isJson(value) ? value : {};
};

/** Settings of the figure go first; its template gets the colours of the page. */
export function layoutOf(layout: Json, look: Look): Json {
  const template = part(layout, 'template');
  const given = part(template, 'layout');
  const axis = (name: string): Json => ({
    ...part(given, name),
    gridcolor: look.grid,
    linecolor: look.grid,
    zerolinecolor: look.muted,
  });
  const scene = part(given, 'scene');
  const wall = { gridcolor: look.grid, zerolinecolor: look.muted, showbackground: false };
  return {
    margin: { l: 56, r: 16, t: layout['title'] ? 44 : 16, b: 44 },
    ...layout,
    template: {
      ...template,
      layout: {
        ...given,
        paper_bgcolor: 'rgba(0,0,0,0)',
        plot_bgcolor: 'rgba(0,0,0,0)',
        font: { ...part(given, 'font'), color: look.text, family: look.font },
        xaxis: axis('xaxis'),
        yaxis: axis('yaxis'),
        scene: { ...scene, xaxis: wall, yaxis: wall, zaxis: wall },
      },
    },
    autosize: false,
    width: look.width,
    height: look.height,
  };
}
