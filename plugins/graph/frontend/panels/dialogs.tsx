import { useSignal } from '@preact/signals';
import { Button, Dialog, message } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Notice } from '../answers';
import type { GraphParts } from '../board';
import { Section } from './node_panel';
import { noticeText } from '../texts';
import { useAnswer } from '@insight-host/kit/lab';

export function Dialogs({ board }: { readonly board: GraphParts }): JSX.Element | null {
  switch (board.dialog.value) {
    case 'removed':
      return <Removed board={board} />;
    case 'notices':
      return <Notices board={board} notices={board.explorer.scene.value?.root.graph.notices ?? []} />;
    case 'difference':
      return <LaterDifference board={board} />;
    case 'precision':
      return <LaterPrecision board={board} />;
    case null:
      return null;
  }
}

/** Its code is loaded when graphs are first compared. */
function LaterDifference({ board }: { readonly board: GraphParts }): JSX.Element | null {
  const loaded = useLater(board, () => import('./difference_dialog'));
  return loaded && <loaded.DifferenceDialog board={board} />;
}

function LaterPrecision({ board }: { readonly board: GraphParts }): JSX.Element | null {
  const loaded = useLater(board, () => import('./precision_dialog'));
  return loaded && <loaded.PrecisionDialog board={board} />;
}

function useLater<Module extends object>(board: GraphParts, load: () => Promise<Module>): Module | null {
  const loaded = useSignal<Module | null>(null);
  useEffect(() => {
    load().then(
      (made) => (loaded.value = made),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  }, []);
  return loaded.value;
}

const shut = (board: GraphParts) => (): void => void (board.dialog.value = null);

/** What the readability pass took away, and by which rule. */
function Removed({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const source = board.sources.graph.value;
  const parts = useSignal(1);
  const { value: found, error } = useAnswer(
    source && JSON.stringify([source.key, parts.value]),
    () => source?.removed(parts.value) ?? Promise.reject(new Error('')),
  );
  const rest = (shown: number, count: number): JSX.Element | null =>
    shown < count ? (
      <p class="count">
        {say('node.some', { shown, count })}
        <Button action="more" text={say('list.more')} label={say('list.more')} onPress={() => (parts.value += 1)} />
      </p>
    ) : null;
  return (
    <Dialog name="removed" title={say('removed.title')} onClose={shut(board)}>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {found && (
        <div class="removed" data-testid="removed">
          <p class="hint">{say('removed.total', { count: found.total })}</p>
          {found.rules.map((rule) => (
            <Section key={rule.rule} title={say(`removed.${rule.rule}`)} count={rule.removed}>
              <p class="count">
                {rule.types
                  .map(({ type, count }) => `${type} ×${count.toLocaleString(board.page.locale.value)}`)
                  .join(say('list.separator'))}
              </p>
              <ul class="links" data-rule={rule.rule}>
                {rule.nodes.map((node) => (
                  <li key={node.id} title={node.id}>
                    <span class="name">{node.name}</span>
                    <span class="what">{node.path.at(-1) ?? ''}</span>
                  </li>
                ))}
              </ul>
              {rest(rule.nodes.length, rule.removed)}
            </Section>
          ))}
          {found.lifted_total > 0 && (
            <Section title={say('removed.lifted')} count={found.lifted_total}>
              <p class="hint">{say('removed.lifted.text')}</p>
              <ul class="links" data-rule="lifted">
                {found.lifted.map(({ id, from, to }) => (
                  <li key={id} title={id}>
                    <span class="name">{id.startsWith(`${from}/`) ? id.slice(from.length + 1) : id}</span>
                    <span class="what">{`${from} → ${to || '/'}`}</span>
                  </li>
                ))}
              </ul>
              {rest(found.lifted.length, found.lifted_total)}
            </Section>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** What is broken in a graph that was shown all the same. */
function Notices({ board, notices }: { readonly board: GraphParts; readonly notices: readonly Notice[] }): JSX.Element {
  return (
    <Dialog name="notices" title={board.page.t('notices.title')} onClose={shut(board)}>
      <div class="removed" data-testid="notices">
        {notices.map((notice, i) => (
          <Section key={i} title={noticeText(board.page, notice)} count={notice.count}>
            <ul class="links">
              {notice.examples.map((example, i) => (
                <li key={i}>
                  <span class="name">{board.page.reason(example)}</span>
                </li>
              ))}
            </ul>
          </Section>
        ))}
      </div>
    </Dialog>
  );
}
