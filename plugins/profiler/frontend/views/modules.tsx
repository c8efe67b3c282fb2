/** Modules of the network by their time: a flame graph and, below it, the modules in the one that was gone into. */
import type { JSX } from 'preact';
import type { ProfilerParts, ViewProps } from '../board';
import type { OperatorsAnswer } from '../answers/operators';
import { Drawing, shortened, useParts } from '../figures/drawing';
import { Figure } from '../figures/figure';
import { inkOf, onColor } from '../figures/ink';
import { Sides } from '../operators/sides';
import { valueOf } from '../table/server_table';
import { shareText, timeText } from '../units';
import { Answered, useProfileAnswer } from '../use_answer';
import { type Module, moduleAt, placed, treeOf } from './module_tree';

const MOST = 5000; // scopes
const [LEVEL, LEAST] = [24, 1]; // px: of a level, and of a module that is drawn
const LISTED = 100;

export default function Modules({ board }: ViewProps): JSX.Element {
  const asked = useProfileAnswer<OperatorsAnswer>(board, 'operators', {
    by: 'scope',
    side: board.side.value || null,
    steps: board.stepsQuery.value,
    limit: MOST,
  });
  return (
    <div class="scroll modules">
      <div class="table-tools">
        <Sides board={board} />
      </div>
      <Answered board={board} asked={asked}>
        {(answer) => {
          board.profiles.sides.value = answer.sides;
          const root = treeOf(
            answer.rows.map((row) => ({
              scope: String(valueOf(answer, row, 'scope') ?? ''),
              time: Number(valueOf(answer, row, 'self') ?? valueOf(answer, row, 'total') ?? 0),
            })),
            board.page.t('modules.all'),
          );
          const shown = moduleAt(root, board.module.value ?? '');
          return (
            <>
              <Flames board={board} root={root} shown={shown} busy={asked.busy} />
              <Members board={board} root={root} shown={shown} />
            </>
          );
        }}
      </Answered>
    </div>
  );
}

interface PartProps {
  readonly board: ProfilerParts;
  readonly root: Module;
  /** The module that was gone into. */
  readonly shown: Module;
}

/** Goes into a module, or from the one in front to the one around it. */
function enter(board: ProfilerParts, module: Module, shown: Module): void {
  const path = module === shown ? module.path.slice(0, Math.max(0, module.path.lastIndexOf('/'))) : module.path;
  board.module.set(path || null, 'push');
}

function Flames({ board, root, shown, busy }: PartProps & { readonly busy: boolean }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const parts = useParts(1000);
  const flames = placed(shown, LEAST / Math.max(1, parts.width));
  const depth = flames.reduce((most, one) => Math.max(most, one.depth), 0);
  return (
    <Figure
      board={board}
      name="modules"
      title={say('modules.title')}
      hint={say('modules.hint')}
      busy={busy}
      data={() => ({
        head: ['module', 'time_ns', 'share'],
        rows: flames.map(({ module }) => [module.path, module.time, root.time > 0 ? module.time / root.time : 0]),
      })}
    >
      <Drawing
        parts={parts}
        count={flames.length}
        height={(depth + 1) * LEVEL + 4}
        label={say('modules.title')}
        tip={(at) => {
          const { module } = flames[at] as (typeof flames)[number];
          return {
            title: module.path || module.name,
            lines: [
              [say('column.time'), timeText(module.time, locale)],
              [say('column.share'), shareText(root.time > 0 ? module.time / root.time : 0, locale)],
            ],
          };
        }}
        middle={(at) => {
          const { start, share, depth: level } = flames[at] as (typeof flames)[number];
          return [(start + share / 2) * parts.width, (level + 0.5) * LEVEL];
        }}
        onPress={(at) => enter(board, (flames[at] as (typeof flames)[number]).module, shown)}
      >
        {(part) =>
          flames.map(({ module, start, share, depth: level }, i) => {
            const [x, width] = [start * parts.width, Math.max(LEAST, share * parts.width - 1)];
            const isNamed = width > 34;
            const label = `${module.path || module.name}, ${timeText(module.time, locale)}`;
            const color = level === 0 ? ink.other : ink.rank(module.place);
            return (
              <g
                key={module.path}
                {...part(i)}
                aria-label={isNamed ? undefined : label}
                data-testid="module"
                data-module={module.path}
                cursor="pointer"
                onClick={() => enter(board, module, shown)}
              >
                <rect
                  x={x}
                  y={level * LEVEL + 1}
                  width={width}
                  height={LEVEL - 2}
                  rx={2}
                  fill={color}
                  stroke={parts.at.value === i ? ink.text : 'none'}
                />
                {isNamed && (
                  <text x={x + 5} y={level * LEVEL + 16} fill={onColor(color)} pointer-events="none">
                    <title>{label}</title>
                    {shortened(module.name, width - 8)}
                  </text>
                )}
              </g>
            );
          })
        }
      </Drawing>
      <p class="hint">{say('modules.hint')}</p>
    </Figure>
  );
}

/** Modules in the one in front, the slowest first, each with its part of the time of all. */
function Members({ board, root, shown }: PartProps): JSX.Element | null {
  const locale = board.page.locale.value;
  const members = [...shown.members].sort((a, b) => b.time - a.time).slice(0, LISTED);
  if (members.length === 0) return null;
  const highest = members[0]?.time ?? 0;
  return (
    <section class="figure" data-figure="module-members" aria-label={shown.path || shown.name}>
      <header>
        <h3>{shown.path || shown.name}</h3>
      </header>
      <ol class="bars">
        {members.map((module) => (
          <li key={module.path}>
            <button type="button" title={module.path} onClick={() => enter(board, module, shown)}>
              <span class="name">
                {module.name}
                {module.members.length > 0 && <span class="count"> {module.members.length}</span>}
              </span>
              <span class="number">{timeText(module.time, locale)}</span>
              <span class="number share">{shareText(root.time > 0 ? module.time / root.time : 0, locale)}</span>
              <span
                class="bar"
                style={{
                  width: `${highest > 0 ? (100 * module.time) / highest : 0}%`,
                  background: inkOf(board.page.theme.value).accent,
                }}
              />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
