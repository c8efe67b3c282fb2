import { describe, expect, it } from 'vitest';
import { pluginText, translator } from './texts';

describe('texts that count', () => {
  const messages = {
    en: { rows: '{count} rows', 'rows.one': '{count} row', plain: 'all' },
    'zh-CN': { rows: '{count} 行' },
  };
  it('have the form that the number needs', () => {
    expect(pluginText(messages, 'en', 'rows', { count: 1 })).toBe('1 row');
    expect(pluginText(messages, 'en', 'rows', { count: 0 })).toBe('0 rows');
    expect(pluginText(messages, 'en', 'rows', { count: 1234 })).toBe('1,234 rows');
    expect(pluginText(messages, 'zh-CN', 'rows', { count: 1 })).toBe('1 行');
  });
  it('fall back to English with its forms, then to the key', () => {
    expect(pluginText({ en: messages.en }, 'zh-CN', 'rows', { count: 1 })).toBe('1 row');
    expect(pluginText(messages, 'en', 'plain', { count: 1 })).toBe('all');
    expect(pluginText(messages, 'en', 'nowhere')).toBe('nowhere');
  });
  it('are used by the page', () => {
    expect(translator('en')('footer.runs', { count: 1 })).toBe('1 run');
    expect(translator('en')('footer.runs', { count: 2 })).toBe('2 runs');
  });
});
