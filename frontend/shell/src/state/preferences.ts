/** Theme and locale: the URL hash wins (links, tests), then stored settings, then the browser's preferences. */
import { computed, effect, signal } from '@preact/signals';
import type { Locale, Theme } from '@insight-host/api';
import { shownLocale } from '../i18n/texts';
import { recall, remember } from './browser';
import type { ViewUrl } from './url';

type ThemeChoice = 'system' | 'light' | 'dark';
export const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const LOCALES: readonly Locale[] = ['en', 'zh-CN'];

function browserLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    if (/^zh\b/i.test(language)) return 'zh-CN';
    if (/^en\b/i.test(language)) return 'en';
  }
  return 'en';
}

const among = <T extends string>(value: unknown, values: readonly T[]): T | null =>
  values.includes(value as T) ? (value as T) : null;

export class Preferences {
  private readonly chosenLocale = signal<Locale | null>(among(recall('page', 'locale', null), LOCALES));
  private readonly chosenTheme = signal<ThemeChoice>(among(recall('page', 'theme', null), THEMES) ?? 'system');
  private readonly systemDark = signal(false);

  readonly locale = computed<Locale>(
    () =>
      among(this.url.text('locale').value, LOCALES) ??
      this.chosenLocale.value ??
      browserLocale(navigator.languages ?? []),
  );
  readonly themeChoice = computed<ThemeChoice>(
    () => among(this.url.text('theme').value, THEMES) ?? this.chosenTheme.value,
  );
  readonly mode = computed<Theme['mode']>(() => {
    const choice = this.themeChoice.value;
    return choice === 'system' ? (this.systemDark.value ? 'dark' : 'light') : choice;
  });
  readonly theme = computed<Theme>(() => {
    const mode = this.mode.value;
    document.documentElement.dataset['theme'] = mode; // before anybody reads a token of the new theme
    const tokens = new Map<string, string>(); // each chart asks for them, and the browser would look for new styles
    return {
      mode,
      token(name) {
        const value = tokens.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        tokens.set(name, value);
        return value;
      },
    };
  });

  constructor(private readonly url: ViewUrl) {
    const media = matchMedia('(prefers-color-scheme: dark)');
    this.systemDark.value = media.matches;
    media.addEventListener('change', () => {
      this.systemDark.value = media.matches;
    });
    effect(() => {
      void this.theme.value;
      document.documentElement.lang = shownLocale.value = this.locale.value;
    });
  }

  setLocale(locale: Locale): void {
    this.url.set('locale', null);
    this.chosenLocale.value = locale;
    remember('page', 'locale', locale);
  }

  setTheme(theme: ThemeChoice): void {
    this.url.set('theme', null);
    this.chosenTheme.value = theme;
    remember('page', 'theme', theme);
  }
}
