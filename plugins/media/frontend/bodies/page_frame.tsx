import { Button, type CardKey, type Page } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

interface PageFrameProps {
  readonly page: Page;
  readonly card: CardKey;
  readonly address: string;
}

/**
 * HTML in a frame of no origin, which loads nothing. Its scripts run only when the user asks for it, until the card
 * leaves the screen; the answer of the host has the same sandbox and a policy.
 */
export function PageFrame({ page, card, address }: PageFrameProps): JSX.Element {
  const scripts = useSignal(false);
  const { value: runs } = scripts;
  return (
    <>
      <iframe
        key={String(runs)}
        class="page"
        title={page.t('html.frame', { tag: page.titleOf(card.tag) })}
        sandbox={runs ? 'allow-scripts' : ''}
        referrerpolicy="no-referrer"
        src={runs ? `${address}&scripts=1` : address}
      />
      <span class="over">
        <Button
          action="scripts"
          icon={runs ? 'pause' : 'play'}
          text={page.t('html.scripts')}
          label={page.t('html.scripts.hint')}
          pressed={runs}
          onPress={() => (scripts.value = !runs)}
        />
      </span>
    </>
  );
}
