/** The list of what matters, above the findings. */
import { Icon, type IconName } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { FindingsBoard } from './board';
import { openPlace, textOf, type Finding, type Highlight } from './findings';

const ICONS: Readonly<Record<Highlight['tone'], IconName>> = {
  error: 'error',
  warning: 'warn',
  good: 'check',
  info: 'info',
};

export function Highlights({ board }: { readonly board: FindingsBoard }): JSX.Element | null {
  const { page } = board;
  const { t: say } = page;
  const { highlights, messages, failures } = board.matters;
  const advice = board.advice.value;
  if (highlights.value.length === 0 && failures.value.length === 0 && !advice) return null;
  return (
    <section class="matters" aria-labelledby="matters">
      <h3 id="matters">{say('matters')}</h3>
      <ul>
        {highlights.value.map((one, at) => (
          <li
            key={`${one.plugin} ${one.source} ${at}`}
            data-highlight={`${one.plugin}/${one.source}`}
            data-tone={one.tone}
          >
            <Icon name={ICONS[one.tone]} />
            <span>{textOf(page.ctx, messages.value, one.text)}</span>
            {one.place && page.tabs.value.includes(one.place.plugin) && (
              <button
                type="button"
                class="ih-button ih-small"
                data-action="open-highlight"
                onClick={() => one.place && openPlace(page.ctx, one.runs, one.place)}
              >
                {say('open')}
              </button>
            )}
          </li>
        ))}
        {advice && <Advice board={board} finding={advice} />}
        {failures.value.map((text) => (
          <li key={text} data-tone="error">
            <Icon name="error" />
            <span>{say('matters.failed', { reason: text })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The finding that saves most. */
function Advice({ board, finding }: { readonly board: FindingsBoard; readonly finding: Finding }): JSX.Element {
  const { page } = board;
  const share = new Intl.NumberFormat(page.locale.value, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <li data-highlight="advice" data-tone="info">
      <Icon name="info" />
      <span>
        {page.t('matters.advice', {
          run: page.nameOf(finding.run),
          change: textOf(page.ctx, board.messages.value, finding.change),
          share: share.format(finding.saves ?? 0),
        })}
      </span>
    </li>
  );
}
