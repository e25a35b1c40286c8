/** What a first manifest is made of. */
interface FirstManifest {
  readonly name: string;
  readonly files: readonly { readonly target: string; readonly template: string; readonly profile: string | undefined }[];
  /** Whether a template uses the home as a variable. */
  readonly needsHome: boolean;
  readonly program: string;
}

/** `stet.yaml` as a person would write it, with a word on what to do next. */
export function manifestText({ name, files, needsHome, program }: FirstManifest): string {
  const entries = files.map(({ target, template, profile }) =>
    [
      `  - target: ${scalar(target)}`,
      `    template: ${scalar(template)}`,
      ...(profile === undefined ? [] : [`    profile: ${profile}`]),
    ].join("\n"),
  );
  return `# What ${name} wants in its users' files. See what it would do: ${program} plan .
name: ${scalar(name)}
version: "0.1.0"
${needsHome ? 'vars:\n  HOME: "~" # the environment\'s wins\n' : ""}files:
${entries.join("\n")}
`;
}

/** A plain word where YAML reads it as just that text, else in quotes. */
function scalar(text: string): string {
  return /^(?:~\/|\/|[a-z])[\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text);
}
