import { cardActions, fileName, Menu, message, type CardKey, type MenuItem, type Page } from '@insight-host/kit';
import type { LineChart, LineChartProps } from '@insight-host/kit/lines';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { layersOf, type ScalarParts } from '../board';
import { expressionOf } from '../derived';
import { isPanelKey } from '../panels/panels';

interface CardToolsProps {
  readonly board: ScalarParts;
  readonly card: CardKey;
  readonly chart: { readonly current: LineChart | null };
  /** More of what the menu offers. */
  readonly items: readonly MenuItem[];
}

/** All that can be done with a card: one menu. A panel has another one, which arranges it: there this one saves. */
export function CardTools({ board, card, chart, items }: CardToolsProps): JSX.Element {
  const { t: say } = board.page;
  const { tag } = card;
  const isPanel = isPanelKey(tag);
  return (
    <Menu
      action="export"
      icon={isPanel ? 'export' : 'more'}
      label={say(isPanel ? 'export.title' : 'card.menu')}
      items={() => [
        ...views(board, tag),
        ...offers(board, tag),
        ...items,
        ...exports(board, tag, chart),
        ...(isPanel ? [] : cardActions(board.contributed.value, card)),
      ]}
    />
  );
}

/** What changes the view of a card at once; each item says what it does, not what is so. */
function views(board: ScalarParts, tag: string): readonly MenuItem[] {
  const { page, zooms, logs, cards } = board;
  const log = logs.of(tag);
  const isPinned = cards.pins.value.includes(tag);
  const item = (action: string, text: string, onPress: () => void): MenuItem => ({
    action,
    text: page.t(text),
    onPress,
  });
  return [
    ...(zooms.canStepBack(tag)
      ? [item('zoom-back', 'zoom.back', () => zooms.stepBack(tag)), item('reset', 'zoom.reset', () => zooms.reset(tag))]
      : []),
    item('log-y', log.y ? 'log.y.off' : 'log.y', () => logs.set(tag, { ...log, y: !log.y })),
    ...(board.x.value === 'wall'
      ? []
      : [item('log-x', log.x ? 'log.x.off' : 'log.x', () => logs.set(tag, { ...log, x: !log.x }))]),
    ...(isPanelKey(tag) ? [] : [item('pin', isPinned ? 'pin.off' : 'pin', () => cards.togglePin(tag))]),
  ];
}

/** What opens a dialog about a card. */
function offers(board: ScalarParts, tag: string): readonly MenuItem[] {
  const opening = (
    kind: NonNullable<ScalarParts['dialog']['value']>['kind'],
    text: string,
    action: string = kind,
  ): MenuItem => ({
    action,
    text: board.page.t(text, { name: board.page.titleOf(tag) }),
    onPress: () => (board.dialog.value = { kind, tag }),
  });
  const every = [opening('limits', 'limits.open'), opening('threshold', 'threshold.title')];
  if (isPanelKey(tag)) return every;
  return [
    ...every,
    opening('pair', 'pair.title'),
    ...(expressionOf(tag) === null ? [] : [opening('derived', 'derived.edit', 'derive')]),
    opening('notes', 'notes.title'),
    opening('panel', 'panel.with', 'new-panel'),
    opening('arrange', 'arrange.open'),
  ];
}

function exports(board: ScalarParts, tag: string, chart: CardToolsProps['chart']): readonly MenuItem[] {
  const name = (extension: string): string => fileName(board.page.titleOf(tag), extension, 'scalar');
  const picture = (extension: 'svg' | 'png'): void => {
    const drawn = chart.current;
    if (!drawn) return;
    const made =
      extension === 'svg' ? Promise.resolve(new Blob([drawn.toSVG()], { type: 'image/svg+xml' })) : drawn.toPNG();
    made.then(
      (blob) => board.page.ctx.ui.download(name(extension), blob),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  };
  const tags = layersOf(board, tag).map((layer) => layer.tag);
  const everyRun = board.page.runs.value.length === board.page.allRuns.value.length;
  const run = everyRun ? null : [...new Set(tags.flatMap((other) => board.tags.runNames(other)))];
  const all = (format: 'csv' | 'json'): string =>
    board.page.ctx.data.href('series', {
      tag: tags,
      run,
      attempts: board.attempts.value,
      format,
      download: name(format),
    });
  return [
    ...(['csv', 'json'] as const).map((format) => {
      const item = { action: `export-${format}`, text: board.page.t(`export.${format}`) };
      const href = all(format);
      const file = name(format);
      const failed = (reason: string): void =>
        board.page.ctx.notify(
          'error',
          board.page.t('export.failed', { file, reason: reason || board.page.t('export.no_answer') }),
        );
      return fitsLink(href) ? { ...item, href, download: file } : { ...item, onPress: () => saveByForm(href, failed) };
    }),
    ...(['svg', 'png'] as const).map((format) => ({
      action: `export-${format}`,
      text: board.page.t(`export.${format}`),
      onPress: () => picture(format),
    })),
  ];
}

/** Saves answers of the host as files. */

const LONGEST = 8000; // characters of a URL that proxies still take
let count = 0; // of frames: a form sent to the frame of another would cancel the other's answer

/** Whether a link can have this address. */
export function fitsLink(href: string): boolean {
  return href.length <= LONGEST;
}

/**
 * Has the browser save the answer to these parameters, sent as a form to a hidden frame. The host names the file
 * (`download=NAME`). Only an answer that is not saved is shown in the frame: then `failed` gets the reason, empty if
 * there was no answer.
 */
export function saveByForm(href: string, failed: (reason: string) => void): void {
  const { origin, pathname, searchParams } = new URL(href);
  const frame = document.createElement('iframe');
  Object.assign(frame, { name: `scalar-saving-${(count += 1)}`, hidden: true });
  frame.addEventListener('load', () => {
    const { contentDocument: shown } = frame; // null for the browser's own page about a missing answer
    if (shown?.URL === 'about:blank') return; // the frame as it was made
    failed(reasonOf(shown?.body?.textContent ?? ''));
    frame.remove();
  });
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: origin + pathname, target: frame.name });
  for (const [name, value] of searchParams)
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(frame, form);
  form.submit();
  form.remove();
}

function reasonOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly error?: unknown }).error ?? text);
  } catch {
    return text.trim();
  }
}

/** `exact`: what is drawn, with exact values; null while nothing is. */
export function useFigure(
  page: Page,
  exact: () => Promise<LineChartProps | null>,
): { readonly item: MenuItem; readonly dialog: JSX.Element | null } {
  const shown = useSignal<(typeof import('../figure/figure_dialog') & { readonly chart: LineChartProps }) | null>(null);
  const open = async (): Promise<void> => {
    try {
      const [chart, loaded] = await Promise.all([exact(), import('../figure/figure_dialog')]);
      if (chart) shown.value = { ...loaded, chart };
    } catch (error) {
      page.ctx.notify('error', message(error));
    }
  };
  const { value: now } = shown;
  return {
    item: { action: 'figure', text: page.t('figure.open'), onPress: () => void open() },
    dialog: now && <now.FigureDialog page={page} chart={now.chart} onClose={() => (shown.value = null)} />,
  };
}
