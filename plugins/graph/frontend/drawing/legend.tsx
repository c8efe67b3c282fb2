import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { GraphParts } from '../board';
import { KindMark, timeOf } from '../texts';
import { AWAY } from './drawing';
import { heated, inkOf, paletteOf, type Ink } from './ink';
import type { Scene } from './scene';

const SHARES = [0, 0.25, 0.5, 0.75, 1]; // of the longest time, whose colours the scale shows

const KINDS = ['scope', 'stack', 'operator', 'parameter', 'constant', 'proxy'] as const;
const MOST = 24; // colours

/** What shapes, lines and colours mean. */
export function Legend({ board, scene }: { readonly board: GraphParts; readonly scene: Scene }): JSX.Element {
  const { t: say } = board.page;
  const { value: theme } = board.page.theme;
  const { value: coloring } = board.colored;
  const ink = useMemo(() => inkOf(theme), [theme]);
  const palette = useMemo(() => paletteOf(scene, ink, coloring), [scene, ink, coloring]);
  const isPipeline = board.records.show.value === 'pipeline';
  const there = new Set([
    ...scene.nodes.map(({ item }) => item.node?.kind ?? 'proxy'),
    ...scene.frames.map(({ node }) => node.kind),
  ]);
  return (
    <div class="legend" data-testid="legend" tabindex={0} role="group" aria-label={say('legend')}>
      <ul>
        {KINDS.filter((kind) => there.has(kind)).map((kind) => (
          <li key={kind} data-legend={kind}>
            <KindMark kind={kind} />
            {say(isPipeline ? `pipeline.${kind}` : `kind.${kind}`)}
          </li>
        ))}
        {scene.lines.some(({ edge }) => edge.kind === 'data') && (
          <li data-legend="data">
            <LineMark ink={ink} dashed={false} />
            {say('edge.data')}
          </li>
        )}
        {scene.lines.some(({ edge }) => edge.kind === 'control') && (
          <li data-legend="control">
            <LineMark ink={ink} dashed />
            {say('edge.control')}
          </li>
        )}
        {(scene.nodes.some(({ item }) => item.node?.aside) ||
          scene.frames.some(({ outside, omitted }) => outside + omitted > 0)) && (
          <li data-legend="away">
            <span class="line-mark">{AWAY}</span>
            {say('edge.away')}
          </li>
        )}
        {!isPipeline && board.looks.selected.value !== null && (
          <>
            <li data-legend="into">
              <LineMark ink={ink} dashed={false} color={ink.into} />
              {say('edge.into')}
            </li>
            <li data-legend="out-of">
              <LineMark ink={ink} dashed={false} color={ink.outOf} />
              {say('edge.out_of')}
            </li>
          </>
        )}
      </ul>
      {palette.times && (
        <div class="scale" data-legend="times">
          <span>{timeOf(palette.times[0], board.page.locale.value)}</span>
          <i
            style={{
              background: `linear-gradient(90deg, ${SHARES.map((share) => heated(ink, share).fill).join(', ')})`,
            }}
          />
          <span>{timeOf(palette.times[1], board.page.locale.value)}</span>
        </div>
      )}
      {coloring === 'time' && !palette.times && <p class="count">{say('color.time.none')}</p>}
      {!isPipeline && palette.keys.length > 0 && (
        <ul class="colors">
          {palette.keys.slice(0, MOST).map(({ label, count, fill, stroke }) => (
            <li key={label} title={label}>
              <i class="swatch" style={{ background: fill, borderColor: stroke }} />
              <span class="name">{label}</span>
              <span class="count">{count}</span>
            </li>
          ))}
          {palette.keys.length > MOST && (
            <li class="count">{say('legend.more', { count: palette.keys.length - MOST })}</li>
          )}
        </ul>
      )}
    </div>
  );
}

function LineMark({
  ink,
  dashed,
  color = ink.line,
}: {
  readonly ink: Ink;
  readonly dashed: boolean;
  readonly color?: string;
}): JSX.Element {
  return (
    <svg class="line-mark" viewBox="0 0 18 12" width="18" height="12" aria-hidden="true">
      <path
        d="M1 6h12"
        stroke={color}
        stroke-width="1.6"
        fill="none"
        {...(dashed ? { 'stroke-dasharray': '3 2' } : {})}
      />
      <path d="M17 6l-5-3v6z" fill={color} />
    </svg>
  );
}
