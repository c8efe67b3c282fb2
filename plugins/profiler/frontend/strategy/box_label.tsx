import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { PlacedBox } from './places';
import type { Scope } from './scopes';
import { communicationText, cutText, shapeText } from './words';

/** What a box says: an operator with its layout and the shape of a shard, or a scope with what is in it. */
export function BoxLabel({ board, box }: { readonly board: ProfilerParts; readonly box: PlacedBox }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { scope, operator } = box;
  if (scope)
    return (
      <>
        <span class="first" title={scope.path}>
          <Icon name={box.isOpen ? 'open' : 'closed'} />
          <b>{scope.title}</b>
        </span>
        <span class="second">{scopeText(board, scope)}</span>
      </>
    );
  if (!operator) return <></>;
  const { communication } = operator;
  const shape = operator.output_shapes[0] ?? null;
  const peer = communication?.peer;
  return (
    <>
      <span class="first" title={operator.full_name}>
        <b>{operator.type}</b>
        {shape && communication?.kind !== 'Send' && <span class="shape">{shapeText(shape)}</span>}
      </span>
      <span class="second">
        {communication
          ? [
              communicationText(communication, locale).replace(`${operator.type} `, ''),
              peer ? say(`strategy.peer.${communication.kind}`, { stage: peer.stage }) : '',
              communication.reason && !peer ? say(`strategy.reason.${communication.reason}`) : '',
            ]
              .filter(Boolean)
              .join(' · ')
          : cutText(operator) || say('strategy.not_cut')}
      </span>
    </>
  );
}

function scopeText(board: ProfilerParts, { operators }: Scope): string {
  const kinds = new Map<string, number>();
  for (const { communication } of operators)
    if (communication) kinds.set(communication.kind, (kinds.get(communication.kind) ?? 0) + 1);
  return [
    board.page.t('strategy.operators_in', { count: operators.length }),
    ...[...kinds].map(([kind, count]) => `${kind} (${count})`),
  ].join(' · ');
}
