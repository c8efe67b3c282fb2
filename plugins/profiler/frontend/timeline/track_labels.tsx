/** Names of groups, tracks and counters; those in sight only. */
import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import { countText, sizeText } from '../units';
import { word } from '../words';
import type { CounterInfo } from './answers';
import { rowsBetween, type Row } from './layout';
import type { Stage } from './stage';

const AROUND = 400; // px

export function TrackLabels({ stage }: { readonly stage: Stage }): JSX.Element {
  const { state } = stage;
  const { value: layout } = state.layout;
  const { value: top } = stage.top;
  const first = Math.floor((top - AROUND) / AROUND) * AROUND;
  const rows = rowsBetween(layout, first, first + stage.height.value + 3 * AROUND);
  return (
    <div class="timeline-labels" style={{ height: `${layout.height}px` }}>
      {rows.map((row) => (
        <Label key={row.key} stage={stage} row={row} />
      ))}
    </div>
  );
}

function Label({ stage, row }: { readonly stage: Stage; readonly row: Row }): JSX.Element {
  const { state } = stage;
  const style = { top: `${row.top}px`, height: `${row.height}px` };
  const name = row.key.startsWith('c-') ? word(state.board, 'timeline.counters', row.label) : row.label || '—';
  const title = [name, row.about].filter(Boolean).join('\n');
  if (!row.canClose) {
    return (
      <div class={`label ${row.kind}`} style={style} data-row-key={row.key} title={title}>
        <span class="name">{name}</span>
        {row.counter && (
          <span class="about">
            {[row.about, extentText(row.counter, state.page.locale.value)].filter(Boolean).join(' · ')}
          </span>
        )}
      </div>
    );
  }
  return (
    <button
      type="button"
      class={`label ${row.kind}`}
      style={style}
      data-row-key={row.key}
      aria-expanded={row.isOpen}
      title={title}
      onClick={() => state.turn(row)}
    >
      <Icon name={row.isOpen ? 'open' : 'closed'} />
      <span class="name">{name}</span>
      {row.about !== '' && <span class="about">{row.about}</span>}
    </button>
  );
}

function extentText({ minimum, maximum, unit }: CounterInfo, locale: 'en' | 'zh-CN'): string {
  if (minimum === null || maximum === null) return '';
  const text = (value: number): string =>
    unit === 'bytes' ? sizeText(value, locale) : `${countText(value, locale)}${unit === 'percent' ? ' %' : ''}`;
  return `${text(minimum)} – ${text(maximum)}`;
}
