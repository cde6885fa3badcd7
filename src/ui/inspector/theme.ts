const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Light, dark or the system's; remembered if the browser allows it. */
export function followTheme(button: HTMLElement): void {
  let theme: Theme = themes.find((each) => each === stored('theme')) ?? 'system';
  const apply = () => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = {system: '◐', light: '☀', dark: '☾'}[theme];
    button.setAttribute('aria-label', `Colors: ${theme}`);
    button.title = `Colors: ${theme} (t)`;
  };
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
    store('theme', theme);
    apply();
  });
  apply();
}

/** A browser may refuse to store anything. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It then lasts only as long as the page.
  }
}
