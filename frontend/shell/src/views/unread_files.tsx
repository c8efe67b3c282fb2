/** Files next to the logs that nothing reads: a line for each kind. */
import type { Reason } from '@insight-host/api';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getJson } from '../data/http';
import { lateTexts, reasonText } from '../i18n/texts';
import { usePage } from '../state/page';
import styles from './late.css?inline';
import { addStyles } from './parts';
import { unread as en } from '../locales/en.json';
import { unread as zh } from '../locales/zh-CN.json';

addStyles(styles);

const words = lateTexts({ en, 'zh-CN': zh });

/** Asks the host when it is shown, for then the host walks over the logdirs. `always`: says so if there are none. */
export function UnreadFiles({ always = false }: { always?: boolean }) {
  const page = usePage();
  const kinds = useSignal<readonly Reason[] | null>(null);
  useEffect(() => {
    const request = new AbortController();
    getJson<{ unread: readonly Reason[] }>('data/unread', {}, request.signal).then(
      ({ unread }) => (kinds.value = unread),
      () => undefined, // a host of the last release does not say
    );
    return () => request.abort();
  }, []);
  const locale = page.preferences.locale.value;
  const found = kinds.value;
  if (!found || (found.length === 0 && !always)) return null;
  return (
    <section class="ih-unread" data-testid="unread">
      <h3>{words(page, 'unread.title')}</h3>
      {found.length === 0 ? (
        <p class="ih-muted">{words(page, 'unread.none')}</p>
      ) : (
        <ul class="ih-muted">
          {found.map((kind) => (
            <li key={kind.error}>{reasonText(kind, locale)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
