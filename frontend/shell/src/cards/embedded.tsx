/** The page that shows one card alone, as an `iframe` in pages of others; loaded in the place of the whole page. */
import { Icon } from '@insight-host/kit';
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatHash } from '../state/browser';
import { usePage } from '../state/page';
import { addStyles, ErrorCard, failureOf } from '../views/parts';
import frame from '../views/dialog_frame.css?inline';
import styles from '../views/late.css?inline';
import { showCard } from './shown';
import { lateTexts } from '../i18n/texts';
import { embedded as en } from '../locales/en.json';
import { embedded as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

addStyles(frame + styles);
const ALWAYS = signal(true);

export function EmbeddedCard({ card }: { readonly card: string }) {
  const page = usePage();
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<unknown>(null);
  const attempt = useSignal(0);
  const plugin = page.url.text('tab').value ?? '';
  const isListed = page.session.plugins.value !== null;
  useEffect(() => {
    if (!isListed || !host.current) return undefined;
    failure.value = null;
    const ended = new AbortController();
    const failed = (cause: unknown): void => void (failure.value = cause);
    const place = { host: host.current, visible: ALWAYS, until: ended.signal, failed };
    void showCard(page, { plugin, card }, place).then(() => void (page.isShown.value = true));
    return () => ended.abort();
  }, [plugin, card, isListed, attempt.value]);
  const reason = failure.value ?? page.session.startError.value;
  const whole = [...page.url.all()].filter(([key]) => key !== 'embed');
  return (
    <main class="ih-embedded">
      <div class="ih-embedded-card" ref={host} hidden={reason !== null} />
      {reason !== null && (
        <ErrorCard title={words(page, 'failed')} failure={failureOf(reason)} onRetry={() => (attempt.value += 1)} />
      )}
      <a
        class="ih-embedded-open"
        href={formatHash(new Map(whole))}
        target="_blank"
        rel="noopener"
        data-action="open-page"
        aria-label={words(page, 'open')}
        title={words(page, 'open')}
      >
        <Icon name="link" />
      </a>
    </main>
  );
}
