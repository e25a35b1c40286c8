/** Units as people write them, with all that the two programs read differently. Mutations start from these. */
export const unitTexts: readonly string[] = [
  "[Unit]\nDescription=a service\nAfter=network-online.target\n\n[Service]\nExecStart=/bin/sh -c 'a; b' \\\n  --flag \\\n# between\n  --more\nRestart=x y\n\n[Install]\nWantedBy=default.target\n",
  '\ufeff[Container]\r\nImage = docker.io/x:1 \r\n; note\r\nExec=a \\\r\n\r\nb\r\nLabel="a=b c"\r\n',
  "[Service]\nRestart=one\\\\\nRestart=two\\\n\nRestart=three \\ \n\tRestart = four\n[X-Own]\nAny=thing\n[Service]\nRestart=\n",
  "# header\n\n[Kube]\nYaml=./app.yaml\\\n[Service]\nEnvironment=A=1 \"B=2 3\" 'C=\\x20'\nKey\u00a0=v\u0085\n",
];
