import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { addStyles, oklch, Tooltip, visibleText, type Page } from '@insight-host/kit';
import { flame as en } from '../locales/en.json';
import { flame as zh } from '../locales/zh-CN.json';
import styles from './flame.css?inline';
import { CallChildren, type CallNodes, type FlameBox, flameBoxes, matching } from './layout';

const ROW = 18;
const LETTER = 6.4; // px of a letter, about
const NARROWEST = 0.7; // px
const MOST_BOXES = 4000;

export interface FlameGraphProps {
  readonly page: Page;
  readonly nodes: CallNodes;
  /** What the graph is called, for those who cannot see it. */
  readonly label: string;
  /** What was spent, as people read it. */
  readonly valueText: (value: number) => string;
  /** What the counts of nodes are of, where that is not calls. */
  readonly counted?: string | undefined;
}

/**
 * A tree of calls as a flame graph that grows downwards: search, zoom by a click or Enter, arrow keys, a tooltip with
 * shares of all and of the caller. With `before` in the nodes red is more than there and blue less.
 */
export function FlameGraph({ page, nodes, label, valueText, counted }: FlameGraphProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const id = useId();
  const [width, focus, at, query] = [
    useSignal(900),
    useSignal<number | null>(null),
    useSignal<number | null>(null),
    useSignal(''),
  ];
  const tip = useSignal<{ readonly x: number; readonly y: number } | null>(null);
  useEffect(() => addStyles(page.ctx, styles), []);
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const look = (): void => void (width.value = Math.max(120, element.clientWidth));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const children = useMemo(() => {
    [focus.value, at.value, tip.value] = [null, null, null];
    return new CallChildren(nodes);
  }, [nodes]);
  const boxes = useMemo(
    () => flameBoxes(nodes, children, focus.value, NARROWEST / width.value).slice(0, MOST_BOXES),
    [children, focus.value, width.value],
  );
  const hits = useMemo(() => matching(nodes, query.value), [nodes, query.value]);
  const say = (key: keyof typeof en, values: Readonly<Record<string, string | number>> = {}): string =>
    (page.locale.value === 'zh-CN' ? zh : en)[key].replace(/\{(\w+)\}/g, (_, name: string) =>
      String(values[name] ?? ''),
    );
  const percent = (share: number): string =>
    share.toLocaleString(page.locale.value, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });
  const place = (box: FlameBox): { readonly x: number; readonly y: number } => {
    const frame = host.current?.getBoundingClientRect();
    const x = (frame?.left ?? 0) + (box.left + Math.min(box.width, 0.2) / 2) * width.value;
    return { x, y: (frame?.top ?? 0) + (box.depth + 1) * ROW - (host.current?.scrollTop ?? 0) };
  };
  const point = (to: number): void => {
    const box = boxes[to];
    if (!box) return;
    at.value = to;
    host.current?.querySelector(`[data-node="${box.node}"]`)?.scrollIntoView({ block: 'nearest' });
    tip.value = place(box);
  };
  const zoom = (node: number | null): void => {
    focus.value = node;
    [at.value, tip.value] = [null, null];
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = at.value;
    const box = now === null ? null : (boxes[now] ?? null);
    const to = nextBox(boxes, now, event.key);
    if (to !== null) point(to);
    else if ((event.key === 'Enter' || event.key === ' ') && box) zoom(box.node === focus.value ? null : box.node);
    else if ((event.key === 'Escape' || event.key === 'Backspace') && focus.value !== null)
      zoom(nodes.parent[focus.value] === -1 ? null : (nodes.parent[focus.value] ?? null));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isDark = page.theme.value.mode === 'dark';
  const shown = at.value === null ? null : (boxes[at.value] ?? null);
  const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1;
  return (
    <div class="flame" data-testid="flame">
      <div class="flame-tools">
        <input
          type="search"
          placeholder={say('search')}
          aria-label={say('search')}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
        {query.value.trim() !== '' && (
          <span class="count" role="status" data-testid="flame-found">
            {say('found', { count: hits.found.size, share: percent(hits.share) })}
          </span>
        )}
        {focus.value !== null && (
          <button type="button" class="tool text" data-action="flame-out" onClick={() => zoom(null)}>
            {say('out')}
          </button>
        )}
        {nodes.nodes > nodes.parent.length && (
          <span class="count">{say('left_out', { count: nodes.nodes - nodes.parent.length })}</span>
        )}
      </div>
      <div ref={host} class="flame-place" onPointerLeave={() => ([at.value, tip.value] = [null, null])}>
        <svg
          class="drawing"
          width={width.value}
          height={depth * ROW}
          font-size={11}
          role="tree"
          tabIndex={0}
          aria-label={label}
          data-compared={nodes.before.length > 0}
          aria-activedescendant={shown ? `${id}-${shown.node}` : undefined}
          onKeyDown={onKeyDown}
          onBlur={() => (tip.value = null)}
        >
          {boxes.map((box, i) => {
            const name = visibleText(nodes.names[nodes.name[box.node] ?? 0] ?? '');
            const [x, wide] = [box.left * width.value, Math.max(0.5, box.width * width.value - 0.5)];
            const told = `${name}: ${valueText(nodes.whole[box.node] ?? 0)}`;
            const isNamed = wide > 4 * LETTER; // by its text, with which a label would have to begin
            const isFaint = query.value.trim() !== '' && !hits.found.has(box.node);
            return (
              <g
                key={box.node}
                id={`${id}-${box.node}`}
                role="treeitem"
                aria-level={box.depth + 1}
                aria-label={isNamed ? undefined : told}
                aria-selected={i === at.value}
                data-node={box.node}
                data-name={name}
                opacity={isFaint ? 0.3 : 1}
                onPointerMove={(event) => {
                  at.value = i;
                  tip.value = { x: event.clientX, y: event.clientY };
                }}
                onClick={() => zoom(box.node === focus.value ? null : box.node)}
              >
                <rect
                  x={x}
                  y={box.depth * ROW}
                  width={wide}
                  height={ROW - 1}
                  rx={2}
                  fill={colorOf(nodes, box.node, name, isDark)}
                  stroke={i === at.value ? 'currentColor' : 'none'}
                />
                {isNamed && (
                  <text
                    x={x + 4}
                    y={box.depth * ROW + 12.5}
                    fill={isDark ? '#f3f5f7' : '#12171d'}
                    pointer-events="none"
                  >
                    <title>{told}</title>
                    {fitted(name, wide - 8)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      {shown && tip.value && (
        <Tooltip x={tip.value.x} y={tip.value.y}>
          <strong class="flame-name">{visibleText(nodes.names[nodes.name[shown.node] ?? 0] ?? '')}</strong>
          <table>
            <tbody>
              {facts(nodes, shown.node, { say, valueText, percent, counted: counted ?? say('count') }).map(
                ([key, text]) => (
                  <tr key={key}>
                    <th>{key}</th>
                    <td class="number">{text}</td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </Tooltip>
      )}
    </div>
  );
}

type Say = (key: keyof typeof en, values?: Readonly<Record<string, string | number>>) => string;

interface Words extends Pick<FlameGraphProps, 'valueText'> {
  readonly say: Say;
  readonly percent: (share: number) => string;
  readonly counted: string;
}

function facts(
  nodes: CallNodes,
  node: number,
  { say, valueText, percent, counted }: Words,
): readonly (readonly [string, string])[] {
  const [whole, own, parent] = [nodes.whole[node] ?? 0, nodes.own[node] ?? 0, nodes.parent[node] ?? -1];
  const caller = parent < 0 ? nodes.total : (nodes.whole[parent] ?? 0);
  const before = nodes.before[node];
  return [
    [say('whole'), `${valueText(whole)} · ${percent(nodes.total > 0 ? whole / nodes.total : 0)}`],
    [say('own'), valueText(own)],
    ...(parent < 0 ? [] : [[say('of_caller'), percent(caller > 0 ? whole / caller : 0)] as const]),
    ...(nodes.count[node] ? [[counted, nodes.count[node].toLocaleString()] as const] : []), // 0: not known
    ...(before === undefined
      ? []
      : [
          [
            say('before'),
            `${valueText(before)} · ${whole >= before ? '+' : '−'}${valueText(Math.abs(whole - before))}`,
          ] as const,
        ]),
  ];
}

/** The box to which an arrow key leads: the caller, the first called, neighbours of one depth; null for other keys. */
export function nextBox(boxes: readonly FlameBox[], now: number | null, key: string): number | null {
  if (!['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key) || boxes.length === 0)
    return null;
  const box = now === null ? undefined : boxes[now];
  if (now === null || !box || key === 'Home') return 0;
  if (key === 'End') return boxes.length - 1;
  const wanted = box.depth + (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0);
  const step = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1;
  for (let i = now + step; i >= 0 && i < boxes.length; i += step) {
    const depth = boxes[i]?.depth ?? 0;
    if (depth === wanted) return i;
    if (key === 'ArrowDown' && depth < wanted) return now; // it called nothing that is shown
  }
  return now;
}

function fitted(name: string, width: number): string {
  const most = Math.floor(width / LETTER);
  return name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1))}…`;
}

/** One colour for one file or library; compared, red for more than before and blue for less. */
function colorOf(nodes: CallNodes, node: number, name: string, isDark: boolean): string {
  const light = isDark ? 0.42 : 0.83;
  const before = nodes.before[node];
  if (before !== undefined) {
    const whole = nodes.whole[node] ?? 0;
    const change = Math.max(whole, before) > 0 ? (whole - before) / Math.max(whole, before) : 0;
    return oklch(light, Math.min(0.14, Math.abs(change) * 0.2), change > 0 ? 25 : 250);
  }
  const [, file = ''] = /\s(\S*\/\S*?)(?::\d+)?$/.exec(name) ?? [];
  const kind = file || name.split(/::|[(<]/)[0] || name;
  let hash = 7;
  for (const letter of kind) hash = (hash * 31 + letter.charCodeAt(0)) % 9973;
  return oklch(light - (hash % 3) * 0.03, 0.07, (hash * 137.508) % 360);
}
