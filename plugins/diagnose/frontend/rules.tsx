/** Which rules were checked, and why others were not: two folded lines. And the state in which nothing is wrong. */
import type { Reason } from '@insight-host/api';
import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import { keyOf, textOf, type Unchecked } from './answer';
import type { FindingsBoard } from './findings';

interface Props {
  readonly board: FindingsBoard;
}

export function Rules({ board }: Props): JSX.Element | null {
  const { page } = board;
  const { t: say } = page;
  if (!board.isKnown.value) return null;
  const text = (reason: Reason): string => textOf(page.ctx, board.messages.value, reason);
  const failed = board.unchecked.value.filter((one) => one.failed);
  const checked = board.checked.value;
  const known = new Set(checked.map(keyOfRule));
  // of a rule that was checked for other runs that is no news
  const left = board.unchecked.value.filter((one) => !one.failed && !one.pending && !known.has(keyOf(one)));
  return (
    <div class="rules">
      {failed.map((one) => (
        <p key={`${keyOf(one)} ${one.reason.error}`} class="failed" data-rule={keyOf(one)}>
          <Icon name="error" />{' '}
          {say('rule.failed', {
            title: titleOf(board, one),
            reason: text(one.reason),
            runs: say('runs', { count: one.runs.length }),
          })}
        </p>
      ))}
      <details>
        <summary>{say('rules.checked', { count: checked.length })}</summary>
        <ul>
          {checked.map((rule) => (
            <li key={keyOfRule(rule)} data-rule={keyOfRule(rule)}>
              {text(rule.title)}
            </li>
          ))}
        </ul>
      </details>
      {left.length > 0 && (
        <details>
          <summary>{say('rules.left', { count: new Set(left.map(keyOf)).size })}</summary>
          <ul>
            {reasonsOf(board, left).map(([reason, titles]) => (
              <li key={reason}>
                <span class="reason">{reason}</span>{' '}
                {titles.map(({ key, title }) => (
                  <span key={key} data-rule={key}>
                    {title}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const keyOfRule = ({ plugin, id }: { readonly plugin: string; readonly id: string }): string => `${plugin}/${id}`;

function titleOf(board: FindingsBoard, { plugin, rule }: Unchecked): string {
  const title = board.titleOf(plugin, rule)?.title ?? { error: rule };
  return textOf(board.page.ctx, board.messages.value, title);
}

/** Rules by why they were not checked, the most first. */
function reasonsOf(board: FindingsBoard, left: readonly Unchecked[]) {
  const { ctx } = board.page;
  const found = new Map<string, { readonly key: string; readonly title: string }[]>();
  for (const one of left) {
    const said = textOf(ctx, board.messages.value, one.reason);
    const reason = said.charAt(0).toUpperCase() + said.slice(1);
    const titles = found.get(reason) ?? [];
    if (!titles.some(({ key }) => key === keyOf(one))) titles.push({ key: keyOf(one), title: titleOf(board, one) });
    found.set(reason, titles);
  }
  return [...found].toSorted(([, one], [, other]) => other.length - one.length);
}

/** Nothing is wrong: what was looked at. */
export function NothingWrong({ board }: Props): JSX.Element {
  const { t: say } = board.page;
  const count = board.runs.value;
  if (count === 0) return <div class="nothing" />;
  return (
    <div class="nothing">
      <svg viewBox="0 0 160 72" width="160" height="72" aria-hidden="true">
        <path class="curve" d="M4 12C24 44 44 56 76 60S128 62 156 62" />
        <circle cx="80" cy="34" r="20" />
        <path class="tick" d="M71 34.5l6.5 6.5L90 28" />
      </svg>
      <h2>{say('nothing', { runs: say('runs', { count }) })}</h2>
      <p>{say('nothing.rules', { count: board.checked.value.length })}</p>
    </div>
  );
}
