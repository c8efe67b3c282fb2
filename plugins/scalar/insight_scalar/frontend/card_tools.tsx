import { useSignal } from '@preact/signals';
import type { LineChart } from 'insight-host';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { message, type Board } from './board';
import { Button } from './icons';

export interface CardToolsProps {
  readonly board: Board;
  readonly tag: string;
  readonly chart: { readonly current: LineChart | null };
}

export function CardTools({ board, tag, chart }: CardToolsProps): JSX.Element {
  const say = board.t.bind(board);
  const log = board.logOf(tag);
  const full = board.full.value === tag;
  const zoomed = board.canStepBack(tag);
  return (
    <div class="tools" role="toolbar" aria-label={say('card.tools')}>
      <Button action="zoom-back" icon="back" label={say('zoom.back')} disabled={!zoomed} onPress={() => board.stepBack(tag)} />
      <Button action="reset" icon="reset" label={say('zoom.reset')} disabled={!zoomed} onPress={() => board.reset(tag)} />
      <span class="seldom">
        <Button action="log-x" icon="log-x" label={say('log.x')} pressed={log.x} disabled={board.x.value === 'wall'} onPress={() => board.setLog(tag, { ...log, x: !log.x })} />
        <Button action="log-y" icon="log-y" label={say('log.y')} pressed={log.y} onPress={() => board.setLog(tag, { ...log, y: !log.y })} />
        <Button action="threshold" icon="threshold" label={say('threshold.title')} pressed={board.thresholds.value.has(tag)} onPress={() => (board.dialog.value = { kind: 'threshold', tag })} />
        <Button action="pair" icon="pair" label={say('pair.title')} pressed={board.pairs.value.has(tag)} onPress={() => (board.dialog.value = { kind: 'pair', tag })} />
        <Button action="pin" icon="pin" label={say('pin')} pressed={board.pins.value.includes(tag)} onPress={() => board.toggle(board.pins, tag)} />
      </span>
      <ExportMenu board={board} tag={tag} chart={chart} />
      <Button action="fullscreen" icon={full ? 'close' : 'full'} label={say(full ? 'full.leave' : 'full.enter')} pressed={full} onPress={() => board.full.set(full ? null : tag, 'push')} />
    </div>
  );
}

function ExportMenu({ board, tag, chart }: CardToolsProps): JSX.Element {
  const open = useSignal(false);
  const root = useRef<HTMLSpanElement>(null);
  const say = board.t.bind(board);
  useEffect(() => {
    if (!open.value) return;
    const close = (event: Event): void => {
      const escape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (escape || (event instanceof PointerEvent && !root.current?.contains(event.target as Node))) open.value = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [open.value]);
  const picture = (extension: 'svg' | 'png'): void => {
    open.value = false;
    const drawn = chart.current;
    if (!drawn) return;
    const made = extension === 'svg' ? Promise.resolve(new Blob([drawn.toSVG()], { type: 'image/svg+xml' })) : drawn.toPNG();
    made.then((blob) => board.ctx.ui.download(fileName(tag, extension), blob), (error: unknown) => board.ctx.notify('error', message(error)));
  };
  const full = (format: 'csv' | 'json'): string => {
    const tags = [tag, board.pairs.value.get(tag)].filter((name) => name !== undefined);
    const everyRun = board.runs.value.length === board.allRuns.value.length;
    const run = everyRun ? null : [...new Set(tags.flatMap((name) => board.runsByTag.value.get(name)?.map((r) => r.name) ?? []))];
    return board.ctx.data.href('series', { tag: tags, run, attempts: board.attempts.value, format });
  };
  return (
    <span class="menu" ref={root}>
      <Button action="export" icon="export" label={say('export.title')} pressed={open.value} onPress={() => (open.value = !open.value)} />
      {open.value && (
        <span class="menu-list" role="menu">
          {(['csv', 'json'] as const).map((format) => (
            <a key={format} role="menuitem" data-action={`export-${format}`} href={full(format)} download={fileName(tag, format)} onClick={() => (open.value = false)}>
              {say(`export.${format}`)}
            </a>
          ))}
          {(['svg', 'png'] as const).map((format) => (
            <button key={format} type="button" role="menuitem" data-action={`export-${format}`} onClick={() => picture(format)}>
              {say(`export.${format}`)}
            </button>
          ))}
        </span>
      )}
    </span>
  );
}

/** A tag as a file name that every system takes. */
export function fileName(tag: string, extension: string): string {
  const name = tag.replace(/[\u0000-\u001f\\/:*?"<>|]+/g, '_').replace(/^[_. ]+|[_. ]+$/g, '').slice(0, 120);
  return `${name || 'scalar'}.${extension}`;
}
