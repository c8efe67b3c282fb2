/** Draws charts of Vega-Lite and Vega without `eval`, which the page does not allow, and without loading anything. */
import { parse, View, type Config, type Loader, type Spec } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Draw, Look } from './look';

/** Refuses addresses: a figure of a log brings its data. Pictures may be data URLs. */
class Refusing implements Loader {
  refused: string | null = null;
  readonly load = (uri: string): Promise<string> => this.refuse(uri);
  readonly http = (uri: string): Promise<string> => this.refuse(uri);
  readonly file = (uri: string): Promise<string> => this.refuse(uri);

  sanitize(uri: string): Promise<{ href: string }> {
    return uri.startsWith('data:image/') ? Promise.resolve({ href: uri }) : this.refuse(uri);
  }

  private refuse(uri: string): Promise<never> {
    this.refused = uri;
    return Promise.reject(new Error(`not loaded: ${uri}`));
  }
}

const PARTS = ['hconcat', 'vconcat', 'concat', 'facet', 'repeat'] as const;

/** A chart of one plot takes the room that there is; one of several parts keeps its size and is scrolled. */
export function sized(figure: Readonly<Record<string, unknown>>, { width, height }: Look): Record<string, unknown> {
  const encoding = figure['encoding'] as Readonly<Record<string, unknown>> | undefined;
  const isOne =
    !PARTS.some((name) => name in figure) && !['row', 'column', 'facet'].some((name) => encoding && name in encoding);
  if (!isOne) return { ...figure };
  return { ...figure, width: width - 8, height: height - 8, autosize: { type: 'fit', contains: 'padding' } };
}

export function isVega({ $schema }: Readonly<Record<string, unknown>>): boolean {
  return typeof $schema === 'string' && /\/schema\/vega\//.test($schema);
}

function configOf({ text, muted, grid, font }: Look): Config {
  const titles = { labelColor: muted, titleColor: text, labelFont: font, titleFont: font };
  return {
    background: 'transparent',
    view: { stroke: grid },
    axis: { ...titles, gridColor: grid, domainColor: grid, tickColor: grid },
    legend: titles,
    header: titles,
    title: { color: text, subtitleColor: muted, font, subtitleFont: font },
    style: { 'guide-label': { fill: muted, font }, 'guide-title': { fill: text, font } },
  } as Config;
}

export const draw: Draw = async (host, figure, look) => {
  const config = configOf(look);
  const runtime = isVega(figure)
    ? parse(figure as Spec, config, { ast: true })
    : parse(compile(sized(figure, look) as unknown as TopLevelSpec, { config: config as object }).spec, undefined, {
        ast: true,
      });
  const loader = new Refusing();
  const view = new View(runtime, {
    expr: expressionInterpreter,
    loader,
    renderer: 'svg',
    container: host,
    hover: true,
    logLevel: 0,
  });
  await view.runAsync();
  if (loader.refused !== null) {
    view.finalize();
    throw new Error(`${loader.refused}: addresses are not loaded; put the data into the figure`);
  }
  return () => view.finalize();
};
