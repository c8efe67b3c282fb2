/** The first bad layer and those after it, or that all are well. */
import { Button, Icon, type Page } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Fault, HeatMap } from './answer';
import type { HealthBoard } from './board';
import { faultText } from './words';

interface VerdictProps {
  readonly board: HealthBoard;
  readonly map: HeatMap;
}

const ICONS = { error: 'error', warning: 'warn', hint: 'info', none: 'check' } as const;

export function Verdict({ board, map }: VerdictProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const [first, ...others] = map.faults;
  const isHint = first?.severity === 'hint';
  const reading = map.read < map.records;
  const count = new Intl.NumberFormat(page.locale.value);
  const read = say('reading', { read: count.format(map.read), records: count.format(map.records) });
  return (
    <section class="verdict" data-testid="verdict" data-fault={first?.fault ?? 'none'} aria-label={say('verdict')}>
      <Icon name={ICONS[first?.severity ?? 'none']} />
      <div class="said">
        <p role="status">
          {first ? (
            <>
              {say(isHint ? 'first.hint' : reading ? 'first.so_far' : 'first')} <Line page={page} fault={first} />
            </>
          ) : (
            say(reading ? 'healthy.so_far' : 'healthy')
          )}
          {(reading || map.unreadable > 0) && (
            <span class="count">
              {' '}
              {reading && read}
              {map.unreadable > 0 && ` ${say('unreadable', { count: map.unreadable })}`}
            </span>
          )}
        </p>
        {others.length > 0 && (
          <details>
            <summary>{say('others', { count: others.length + map.more_faults })}</summary>
            <ul>
              {others.map((fault) => (
                <li key={`${fault.run} ${fault.layer} ${fault.fault}`}>
                  <button type="button" data-action="show-fault" onClick={() => board.show(fault)}>
                    <Line page={page} fault={fault} />
                  </button>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      {first && <Button action="show-first" label={say('show')} text={say('show')} onPress={() => board.show(first)} />}
      {first && <Open board={board} fault={first} />}
    </section>
  );
}

function Line({ page, fault }: { readonly page: Page; readonly fault: Fault }): JSX.Element {
  const { name, kind, run } = fault;
  const where = page.t('fault.where', { kind: page.t(`kind.${kind}`), run: page.nameOf(run) });
  return (
    <>
      <strong>{name}</strong>
      {where}
      {faultText(page, fault)}
    </>
  );
}

/** Leads to the values: the histogram, tensor or scalar that tells. */
function Open({ board, fault }: Pick<VerdictProps, 'board'> & { readonly fault: Fault }): JSX.Element | null {
  const { page } = board;
  const { source } = fault;
  if (!page.tabs.value.includes(source.plugin)) return null;
  const open = (): void => {
    page.ctx.cursor.pin({ step: fault.step });
    const tags = `^${source.tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
    const step = source.plugin === 'scalar' ? {} : { step: String(fault.step), link: '1' };
    page.ctx.open(source.plugin, { tags, ...step });
  };
  return <Button action="open-values" label={page.t('open.hint')} text={page.t('open')} onPress={open} />;
}
