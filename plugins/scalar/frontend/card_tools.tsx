import type { LineChart } from '@insight-host/kit/lines';
import { Button, cardActions, fileName, Menu, message, Seldom, type CardKey, type MenuItem } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from './board';
import { expressionOf } from './derived';
import { LogIcon } from './log_icon';
import { layersOf } from './panels/layers';
import { isPanelKey } from './panels/panels';
import { fitsLink, saveByForm } from './saving';

export interface CardToolsProps {
  readonly board: ScalarParts;
  readonly card: CardKey;
  readonly chart: { readonly current: LineChart | null };
  /** More of what the menu offers. */
  readonly items: readonly MenuItem[];
}

export function CardTools({ board, card, chart, items }: CardToolsProps): JSX.Element {
  const { t: say } = board.page;
  const { tag } = card;
  const log = board.logs.of(tag);
  const zoomed = board.zooms.canStepBack(tag);
  return (
    <>
      <Button
        action="zoom-back"
        icon="back"
        label={say('zoom.back')}
        disabled={!zoomed}
        onPress={() => board.zooms.stepBack(tag)}
      />
      <Button
        action="reset"
        icon="reset"
        label={say('zoom.reset')}
        disabled={!zoomed}
        onPress={() => board.zooms.reset(tag)}
      />
      <Seldom>
        <Button
          action="log-x"
          icon={<LogIcon axis="x" />}
          label={say('log.x')}
          pressed={log.x}
          disabled={board.x.value === 'wall'}
          onPress={() => board.logs.set(tag, { ...log, x: !log.x })}
        />
        <Button
          action="log-y"
          icon={<LogIcon axis="y" />}
          label={say('log.y')}
          pressed={log.y}
          onPress={() => board.logs.set(tag, { ...log, y: !log.y })}
        />
        <Button
          action="threshold"
          icon="threshold"
          label={say('threshold.title')}
          pressed={board.thresholds.byTag.value.has(tag)}
          onPress={() => (board.dialog.value = { kind: 'threshold', tag })}
        />
        {!isPanelKey(tag) && (
          <Button
            action="pair"
            icon="pair"
            label={say('pair.title')}
            pressed={board.pairs.value.has(tag)}
            onPress={() => (board.dialog.value = { kind: 'pair', tag })}
          />
        )}
        {expressionOf(tag) !== null && (
          <Button
            action="derive"
            icon="pencil"
            label={say('derived.edit', { name: board.page.titleOf(tag) })}
            onPress={() => (board.dialog.value = { kind: 'derived', tag })}
          />
        )}
        {!isPanelKey(tag) && (
          <Button
            action="pin"
            icon="pin"
            label={say('pin')}
            pressed={board.cards.pins.value.includes(tag)}
            onPress={() => board.cards.togglePin(tag)}
          />
        )}
      </Seldom>
      <Menu
        action="export"
        icon="export"
        label={say('export.title')}
        items={() => [
          ...items,
          ...offers(board, tag),
          ...exports(board, tag, chart),
          ...(isPanelKey(tag) ? [] : cardActions(board.contributed.value, card)),
        ]}
      />
    </>
  );
}

function offers(board: ScalarParts, tag: string): readonly MenuItem[] {
  const opening = (kind: 'limits' | 'notes' | 'panel' | 'arrange', text: string, action: string = kind): MenuItem => ({
    action,
    text: board.page.t(text),
    onPress: () => (board.dialog.value = { kind, tag }),
  });
  const every = [opening('limits', 'limits.open')];
  if (isPanelKey(tag)) return every;
  return [
    ...every,
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
