import type { HistogramChart, Query } from 'insight-host';
import { csvOf, fileName, histogramTable, Menu, message, type CardKey, type Histograms, type MenuItem } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { HistogramBoard } from './board';

export interface ExportsProps {
  readonly board: HistogramBoard;
  readonly card: CardKey;
  readonly chart: { readonly current: HistogramChart | null };
  readonly found: Histograms | null;
  /** What the card asked for. */
  readonly query: Query;
}

/** What is shown as a table, as JSON, and as a picture. */
export function Exports(props: ExportsProps): JSX.Element {
  return <Menu action="export" icon="export" label={props.board.t('export.title')} items={() => items(props)} />;
}

function items({ board, card, chart, found, query }: ExportsProps): readonly MenuItem[] {
  const say = board.t.bind(board);
  const name = (extension: string): string => fileName(card.run === null ? card.tag : `${card.tag}_${card.run}`, extension, 'histograms');
  const save = (extension: string, content: Blob | Promise<Blob>): void => {
    Promise.resolve(content).then((blob) => board.ctx.ui.download(name(extension), blob), (error: unknown) => board.ctx.notify('error', message(error)));
  };
  return [
    { action: 'export-csv', text: say('histogram.export.csv'), onPress: () => found && save('csv', new Blob([csvOf(histogramTable(found))], { type: 'text/csv' })) },
    { action: 'export-json', text: say('histogram.export.json'), href: board.ctx.data.href(card.run === null ? 'comparison' : 'histograms', query), download: name('json') },
    { action: 'export-svg', text: say('histogram.export.svg'), onPress: () => chart.current && save('svg', new Blob([chart.current.toSVG()], { type: 'image/svg+xml' })) },
    { action: 'export-png', text: say('histogram.export.png'), onPress: () => chart.current && save('png', chart.current.toPNG()) },
  ];
}
