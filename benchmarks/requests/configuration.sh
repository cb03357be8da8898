# In the test machine.
# shellcheck shell=bash

# configuration FILE SETTING...: an openssl.cnf with the provider.
configuration() {
    local file=$1
    shift
    {
        printf '%s\n' 'openssl_conf = all' '[all]' 'providers = providers' '[providers]' 'default = software' 'outboard = hardware' \
            '[software]' 'activate = 1' '[hardware]' 'module = /usr/local/lib/outboard/outboard.so' 'activate = 1'
        printf '%s\n' "$@"
    } >"$file"
}

# prefer_outboard FILE: also for programs that request no provider.
prefer_outboard() {
    sed -i 's/^\[all\]$/&\nalg_section = algorithms/' "$1"
    printf '[algorithms]\ndefault_properties = ?provider=outboard\n' >>"$1"
}

# instructions PID: those of a process so far, by QEMU's clock.
instructions() { cut -d ' ' -f 1 "/proc/$1/schedstat"; }

# files_to_send BYTES: files/file, what with_nginx needs, and software.cnf, in /tmp, where the script is.
files_to_send() {
    ip link set lo up
    mkdir -p files /var/log/nginx
    head -c "$1" /dev/urandom >files/file
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key -out certificate 2>>log
    echo >software.cnf
}

# with_nginx SUITE CONFIGURATION COMMAND...: a server of https://127.0.0.1:4433/file while COMMAND runs; its
# process is $nginx.
with_nginx() {
    local suite=$1 file=$2 nginx
    shift 2
    printf 'daemon off; master_process off; error_log /tmp/nginx.log; events {}
        http { access_log off; keepalive_timeout 0; server { listen 127.0.0.1:4433 ssl; root /tmp/files; ssl_certificate /tmp/certificate;
        ssl_certificate_key /tmp/key; ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites %s; } }' "$suite" >nginx.conf
    OPENSSL_CONF=/tmp/$file nginx -c /tmp/nginx.conf >>log 2>&1 &
    nginx=$!
    until (: </dev/tcp/127.0.0.1/4433) 2>/dev/null; do sleep 0.1; done
    "$@"
    kill $nginx
    wait $nginx || true
}
