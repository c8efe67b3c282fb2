/** Which requests to a plugin failed. Below it, so that nothing of it is covered and nothing above moves. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePage } from '../state/page';
import { Icon } from './icon';

interface Props {
  readonly title: string;
  /** The newest first; one goes when the request has worked. */
  readonly warnings: readonly string[];
}

export function PluginWarnings({ title, warnings }: Props) {
  const t = usePage().t.value;
  const dismissed = useSignal<readonly string[]>([]);
  useEffect(() => {
    // what worked meanwhile and fails again is news
    dismissed.value = dismissed.peek().filter((text) => warnings.includes(text));
  }, [warnings.join('\n')]);
  const [first, ...others] = warnings.filter((text) => !dismissed.value.includes(text));
  if (first === undefined) return null;
  return (
    <div class="ih-plugin-warnings" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{t('plugin.warning', { plugin: title })}</strong>
        <p>{first}</p>
        {others.length > 0 && (
          <details>
            <summary>{t('plugin.warning.more', { count: others.length })}</summary>
            {others.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </details>
        )}
      </div>
      <button
        type="button"
        class="ih-button ih-quiet ih-square ih-small"
        aria-label={t('dismiss')}
        title={t('dismiss')}
        onClick={() => void (dismissed.value = warnings)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
