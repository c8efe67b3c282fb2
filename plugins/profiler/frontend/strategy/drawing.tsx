/** The operators of a job by stage: a column of boxes for each, with the tensors that go between them. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { StrategyAnswer } from '../answers/strategy';
import { inkOf } from '../figures/ink';
import { BoxLabel } from './box_label';
import { columnOf, lineWay, linkWay, placedLinks, WIDTH, type Column, type PlacedBox } from './places';
import { boxesOf, openAtFirst, scopeTree } from './scopes';
import { changeText, rangesText } from './words';

const MARGIN = 300; // px around what is in sight

export const operatorKey = (stage: number, id: string): string => `${stage}/${id}`;

/** The stages side by side; scopes open and close, operators open next to the drawing. */
export function StrategyDrawing({
  board,
  answer,
}: {
  readonly board: ProfilerParts;
  readonly answer: StrategyAnswer;
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const host = useRef<HTMLDivElement>(null);
  const sight = useSignal<readonly [top: number, bottom: number]>([0, 900]);
  const pointed = useSignal<string | null>(null); // stage/box
  const toggled = board.strategyScopes.value;
  const trees = useMemo(
    () =>
      answer.stages.map((stage) => {
        const root = scopeTree(stage.operators);
        return { stage, root, atFirst: openAtFirst(root) };
      }),
    [answer],
  );
  const columns = useMemo(
    () =>
      trees.map(({ stage, root, atFirst }, at) => {
        const prefix = `${stage.stage}/`;
        const own = new Set(toggled.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])));
        return columnOf(stage, boxesOf(root, atFirst, own), at);
      }),
    [trees, toggled],
  );
  const links = useMemo(() => placedLinks(answer.links, columns), [answer, columns]);
  const look = (): void => {
    const { current } = host;
    if (current) sight.value = [current.scrollTop, current.scrollTop + current.clientHeight];
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (host.current) observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  const opened = board.strategyOperator.value;
  const press = (column: Column, box: PlacedBox): void => {
    const key = operatorKey(column.stage.stage, box.key);
    if (box.operator) board.strategyOperator.set(opened === key ? null : key);
    else board.strategyScopes.set(toggled.includes(key) ? toggled.filter((one) => one !== key) : [...toggled, key]);
  };
  const [top, bottom] = [sight.value[0] - MARGIN, sight.value[1] + MARGIN];
  const width = Math.max(...columns.map(({ x }) => x + WIDTH + 80));
  const height = Math.max(...columns.map((column) => column.height));
  const inSight = (from: number, to: number): boolean => Math.max(from, to) > top && Math.min(from, to) < bottom;
  return (
    <div ref={host} class="strategy-graph" onScroll={look} onPointerLeave={() => (pointed.value = null)}>
      <div class="strategy-heads" style={{ width: `${width}px` }}>
        {columns.map(({ stage, x }, i) => (
          <strong key={i} style={{ left: `${x}px`, width: `${WIDTH}px` }} data-stage={stage.stage}>
            {say('strategy.head', { stage: stage.stage, ranks: rangesText(stage.ranks) || '—' })}
          </strong>
        ))}
      </div>
      <div class="strategy-paper" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          <defs>
            {[ink.muted, ink.warn, ink.accent, ink.category('communication')].map((color, i) => (
              <marker
                key={i}
                id={`strategy-end-${i}`}
                viewBox="0 0 6 6"
                refX="6"
                refY="3"
                markerWidth="6"
                markerHeight="6"
                orient="auto"
              >
                <path d="M0 0L6 3L0 6z" fill={color} />
              </marker>
            ))}
          </defs>
          {columns.map(({ frames, stage }) =>
            frames.map(({ key, ...frame }) =>
              inSight(frame.y, frame.y + frame.height) ? (
                <rect
                  key={`${stage.stage}/${key}`}
                  {...frame}
                  rx={6}
                  fill={ink.grid}
                  fill-opacity={0.35}
                  stroke={ink.grid}
                />
              ) : null,
            ),
          )}
          {columns.map(({ lines, stage }) =>
            lines.map((line) => {
              if (!inSight(line.from.y, line.to.y)) return null;
              const lit = [line.from.key, line.to.key].some((key) => {
                const whole = operatorKey(stage.stage, key);
                return whole === pointed.value || whole === opened;
              });
              const [color, mark] = lit ? [ink.accent, 2] : line.change ? [ink.warn, 1] : [ink.muted, 0];
              return (
                <path
                  key={`${stage.stage}/${line.from.key}\n${line.to.key}`}
                  data-testid={line.change ? 'strategy-change' : 'strategy-line'}
                  d={lineWay(line)}
                  fill="none"
                  stroke={color}
                  stroke-width={lit || line.change ? 1.8 : 1}
                  stroke-dasharray={line.change ? '5 3' : undefined}
                  stroke-opacity={lit || line.change ? 1 : 0.55}
                  marker-end={`url(#strategy-end-${mark})`}
                />
              );
            }),
          )}
          {links.map((link, i) =>
            inSight(link.from.y, link.to.y) ? (
              <path
                key={i}
                data-testid="strategy-link"
                d={linkWay(link)}
                fill="none"
                stroke={ink.category('communication')}
                stroke-width={2}
                marker-end="url(#strategy-end-3)"
              />
            ) : null,
          )}
        </svg>
        {columns.map((column, i) => (
          <StageBoxes
            key={i}
            board={board}
            column={column}
            top={top}
            bottom={bottom}
            onPress={(box) => press(column, box)}
            onPoint={(box) => (pointed.value = operatorKey(column.stage.stage, box.key))}
            onReach={(box) => host.current?.scrollTo({ top: Math.max(0, box.y - 120) })}
          />
        ))}
        {columns.flatMap(({ lines, stage }) =>
          lines.map(({ change, changes, to, from }) =>
            change && inSight(from.y, to.y) ? (
              <span
                key={`${stage.stage}/${from.key}\n${to.key}`}
                class="strategy-mark"
                style={{ left: `${to.x + 26}px`, top: `${to.y - 15}px` }}
              >
                {changes > 1
                  ? say('strategy.changes', { count: changes })
                  : changeText(change, locale) || say('strategy.cut_only')}
              </span>
            ) : null,
          ),
        )}
      </div>
    </div>
  );
}

interface StageBoxesProps {
  readonly board: ProfilerParts;
  readonly column: Column;
  readonly top: number;
  readonly bottom: number;
  readonly onPress: (box: PlacedBox) => void;
  readonly onPoint: (box: PlacedBox) => void;
  readonly onReach: (box: PlacedBox) => void;
}

/** The boxes of a stage as a tree: arrow keys go up and down, open and close. */
function StageBoxes({ board, column, top, bottom, onPress, onPoint, onReach }: StageBoxesProps): JSX.Element {
  const { t: say } = board.page;
  const { boxes, stage } = column;
  const at = useSignal<string | null>(null);
  const place = Math.max(
    0,
    boxes.findIndex(({ key }) => key === at.value),
  );
  const id = (box: PlacedBox): string => `strategy-${stage.stage}-${boxes.indexOf(box)}`;
  const go = (to: number): void => {
    const box = boxes[Math.max(0, Math.min(boxes.length - 1, to))];
    if (!box) return;
    at.value = box.key;
    onPoint(box);
    if (box.y < top + MARGIN || box.y + box.height > bottom - MARGIN) onReach(box);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const box = boxes[place];
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: boxes.length - 1 }[event.key];
    if (to !== undefined) go(at.value === null ? 0 : to);
    else if (box && (event.key === 'Enter' || event.key === ' ')) onPress(box);
    else if (box?.scope && event.key === 'ArrowRight' && !box.isOpen) onPress(box);
    else if (box?.scope && event.key === 'ArrowLeft' && box.isOpen) onPress(box);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const current = at.value === null ? undefined : boxes[place];
  return (
    <div
      role="tree"
      tabIndex={0}
      aria-label={say('strategy.head', { stage: stage.stage, ranks: rangesText(stage.ranks) || '—' })}
      aria-activedescendant={current && id(current)}
      onKeyDown={onKeyDown}
    >
      {boxes.map((box, i) =>
        box === current || (box.y + box.height > top && box.y < bottom) ? (
          <div
            key={box.key}
            id={`strategy-${stage.stage}-${i}`}
            role="treeitem"
            aria-level={box.level + 1}
            aria-expanded={box.scope ? box.isOpen : undefined}
            aria-selected={board.strategyOperator.value === operatorKey(stage.stage, box.key)}
            class={`strategy-box ${box.scope ? 'scope' : box.operator?.communication ? 'communication' : 'operator'}${
              box === current ? ' current' : ''
            }`}
            data-box={box.key}
            style={{ left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` }}
            onClick={() => {
              at.value = box.key;
              onPress(box);
            }}
            onPointerEnter={() => onPoint(box)}
          >
            <BoxLabel board={board} box={box} />
          </div>
        ) : null,
      )}
    </div>
  );
}
