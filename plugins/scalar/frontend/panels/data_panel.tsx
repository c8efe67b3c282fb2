/** What panels of values of runs have in common: head, files, table, and the last line. */
import { CardHead, fileName, Icon, Menu, message, pictureOf, pngFile, svgFile, useTableView } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import type { ComponentChildren, JSX } from 'preact';
import type { PanelProps } from './kinds';
import type { Answer } from './metrics';

interface DataPanelProps extends PanelProps {
  readonly answer: Answer;
  /** What is drawn, for the table and the files. */
  readonly data: () => ChartData | null;
  /** The picture; without one, there are no files of it. */
  readonly picture?: { readonly current: SVGSVGElement | null };
  /** The last line. */
  readonly status: readonly string[];
  readonly children: ComponentChildren;
}

/** The frame of a panel that draws `answer`. */
export function DataPanel({
  board,
  card,
  tools,
  answer,
  data,
  picture,
  status,
  children,
}: DataPanelProps): JSX.Element {
  const { page } = board;
  const title = page.titleOf(card.tag);
  const table = useTableView(page, title, title, data, () => import('@insight-host/kit/table'));
  const save = (extension: 'svg' | 'png') => (): void => {
    const root = picture?.current;
    if (!root) return;
    const drawn = pictureOf(root, root.width.baseVal.value, root.height.baseVal.value);
    Promise.resolve(extension === 'svg' ? svgFile(drawn) : pngFile(drawn)).then(
      (blob) => page.ctx.ui.download(fileName(title, extension, 'panel'), blob),
      (error: unknown) => page.ctx.notify('error', message(error)),
    );
  };
  const files = (['svg', 'png'] as const).map((extension) => ({
    action: `export-${extension}`,
    text: page.t(`export.${extension}`),
    onPress: save(extension),
  }));
  return (
    <>
      <CardHead board={board} card={card}>
        <Menu
          action="export"
          icon="export"
          label={page.t('export.title')}
          items={() => [table.item, ...(picture ? files : [])]}
        />
        {tools}
      </CardHead>
      <div class={answer.values || answer.error ? 'view' : 'view busy'} data-ready={answer.values ? '1' : undefined}>
        {answer.values && children}
      </div>
      {answer.error ? (
        <footer class="error">
          <Icon name="warn" />
          <span role="alert" title={answer.error}>
            {page.t('card.error', { reason: answer.error })}
          </span>
        </footer>
      ) : (
        <footer data-testid="card-status">
          <span class="counts">{answer.values ? status.join(' · ') : '\u00a0'}</span>
        </footer>
      )}
      {table.dialog}
    </>
  );
}
